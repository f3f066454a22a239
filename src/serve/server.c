// SPDX-License-Identifier: Apache-2.0
#include "serve/server.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "render/page.h"
#include "render/viewer_form.h"
#include "serve/library.h"
#include "serve/listener.h"
#include "serve/request.h"
#include "serve/stream.h"
#include "serve/suggestion.h"
#include "suggest/access.h"

#define CONNECTION_MAX    400 // of each of the two sockets
#define CONNECTION_BYTES  16384
#define CONNECTION_TIME_S 30 // a request that takes longer to arrive is given up
#define WAKE_MS           1000
#define LAST_WAKE_MS      20
#define BODY_MAX          65536 // bytes of a question
#define LAST_TURNS        8     // a stream takes three to say goodbye
#define FIRST_PAGE_S      1800  // for somebody who has yet to forward the port

struct server {
    struct library library;
    struct listener listener;
    struct request_guard guard;
    struct stream_list streams;
    struct suggestion_desk suggestions;
    struct server_options options;
    const struct profile *profile;
    size_t *files; // in the order of the viewer form
    struct text page;
    struct text form;
    char *address;
    struct MHD_Daemon *daemons[2];
    double last_request_s;
};

static volatile sig_atomic_t is_asked_to_end;

static void ask_to_end(int signal)
{
    (void)signal;
    is_asked_to_end = 1;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static struct MHD_Response *respond_with(struct server *server, const char *bytes, size_t len)
{
    return server->library.MHD_create_response_from_buffer(len, (void *)bytes,
                                                           MHD_RESPMEM_PERSISTENT);
}

static struct MHD_Response *respond_with_source(struct server *server,
                                                struct request_answer *answer)
{
    const char *source = server->profile->files[server->files[answer->file]].source;
    if (source && source[0]) {
        return respond_with(server, source, strlen(source));
    }
    answer->status = 404;
    answer->text = "The profile has no source text of this file.\n";
    return respond_with(server, answer->text, strlen(answer->text));
}

static struct MHD_Response *respond_with_stream(struct server *server,
                                                struct MHD_Connection *connection,
                                                struct request_answer *answer)
{
    struct MHD_Response *stream = stream_open(&server->streams, connection);
    if (stream) {
        return stream;
    }
    *answer = (struct request_answer){.status = 503,
                                      .text = "Too many pages are open: close one of them.\n"};
    return respond_with(server, answer->text, strlen(answer->text));
}

static struct MHD_Response *make_response(struct server *server, struct MHD_Connection *connection,
                                          struct request_answer *answer, const struct text *body)
{
    switch (answer->route) {
    case REQUEST_PAGE:
        return respond_with(server, server->page.data, server->page.len);
    case REQUEST_SCRIPT:
        return respond_with(server, page_script().bytes, page_script().len);
    case REQUEST_STYLE:
        return respond_with(server, page_style().bytes, page_style().len);
    case REQUEST_FORM:
        return respond_with(server, server->form.data, server->form.len);
    case REQUEST_SOURCE:
        return respond_with_source(server, answer);
    case REQUEST_ALIVE:
        return respond_with_stream(server, connection, answer);
    case REQUEST_PROVIDERS:
        return suggestion_providers(&server->suggestions);
    case REQUEST_PROMPT:
        return suggestion_prompt(&server->suggestions, body);
    case REQUEST_MODELS:
    case REQUEST_PROPOSAL:
        return suggestion_open(&server->suggestions, connection, body,
                               answer->route == REQUEST_MODELS);
    case REQUEST_REFUSED:
        break;
    }
    return respond_with(server, answer->text, strlen(answer->text));
}

static const char *type_of(enum request_route route)
{
    static const char *const types[] = {
        [REQUEST_REFUSED] = "text/plain; charset=utf-8",
        [REQUEST_PAGE] = "text/html; charset=utf-8",
        [REQUEST_SCRIPT] = "text/javascript; charset=utf-8",
        [REQUEST_STYLE] = "text/css; charset=utf-8",
        [REQUEST_FORM] = "application/json",
        [REQUEST_SOURCE] = "text/plain; charset=utf-8",
        [REQUEST_ALIVE] = "text/event-stream",
        [REQUEST_PROVIDERS] = "application/json",
        [REQUEST_PROMPT] = "application/json",
        [REQUEST_MODELS] = "application/x-ndjson",
        [REQUEST_PROPOSAL] = "application/x-ndjson",
    };
    return types[route];
}

static void add_headers(const struct server *server, struct MHD_Response *response,
                        enum request_route route)
{
    const char *const headers[][2] = {
        {"Content-Type", type_of(route)},
        {"Content-Security-Policy", page_policy(PAGE_SERVED)},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cache-Control", "no-store"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        server->library.MHD_add_response_header(response, headers[i][0], headers[i][1]);
    }
}

static const char *header_of(const struct server *server, struct MHD_Connection *connection,
                             const char *name)
{
    return server->library.MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

// What has arrived of a request.
struct incoming {
    struct request_answer routed;
    struct text body; // may hold a key
};

// A body is kept for whom a question is answered, and read over for everybody else.
static void take_body(struct incoming *incoming, const char *bytes, size_t len)
{
    if (incoming->routed.route < REQUEST_PROMPT) {
        return;
    }
    if (incoming->body.len + len > BODY_MAX) {
        incoming->routed =
            (struct request_answer){.status = 413, .text = "This is too long a question.\n"};
        return;
    }
    text_add_bytes(&incoming->body, bytes, len);
}

static void forget(void *context, struct MHD_Connection *connection, void **state,
                   enum MHD_RequestTerminationCode code)
{
    struct incoming *incoming = *state;
    (void)context;
    (void)connection;
    (void)code;
    if (incoming && incoming->body.data) {
        explicit_bzero(incoming->body.data, incoming->body.capacity);
        text_clear(&incoming->body);
    }
    free(incoming);
    *state = NULL;
}

static enum MHD_Result count_host(void *context, enum MHD_ValueKind kind, const char *name,
                                  const char *value)
{
    unsigned *count = context;
    (void)kind;
    (void)value;
    *count += strcasecmp(name, "Host") == 0;
    return MHD_YES;
}

static unsigned host_count(const struct server *server, struct MHD_Connection *connection)
{
    unsigned count = 0;
    server->library.MHD_get_connection_values(connection, MHD_HEADER_KIND, count_host, &count);
    return count;
}

static struct request_answer route(struct server *server, struct MHD_Connection *connection,
                                   const char *url, const char *method)
{
    struct request request = {
        .method = method,
        .path = url,
        .host = header_of(server, connection, "Host"),
        .host_count = host_count(server, connection),
        .origin = header_of(server, connection, "Origin"),
        .fetch_site = header_of(server, connection, "Sec-Fetch-Site"),
        .fetch_mode = header_of(server, connection, "Sec-Fetch-Mode"),
        .fetch_dest = header_of(server, connection, "Sec-Fetch-Dest"),
        .content_type = header_of(server, connection, "Content-Type"),
    };
    return request_route(&server->guard, &request);
}

// NOLINTNEXTLINE(readability-function-size): libmicrohttpd's parameters
static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state)
{
    struct server *server = context;
    struct incoming *incoming = *state;
    (void)version;
    if (!incoming) { // the headers are there; the answer follows when the body is through
        incoming = mem_alloc(sizeof *incoming);
        incoming->routed = route(server, connection, url, method);
        *state = incoming;
        return MHD_YES;
    }
    if (*upload_size > 0) {
        take_body(incoming, upload, *upload_size);
        *upload_size = 0;
        return MHD_YES;
    }
    struct request_answer routed = incoming->routed;
    struct MHD_Response *response = make_response(server, connection, &routed, &incoming->body);
    if (!response) {
        return MHD_NO;
    }
    if (routed.route != REQUEST_REFUSED) {
        server->last_request_s = now_s();
    }
    add_headers(server, response, routed.route);
    enum MHD_Result result =
        server->library.MHD_queue_response(connection, routed.status, response);
    server->library.MHD_destroy_response(response);
    return result;
}

static void stay_silent(void *context, const char *format, va_list arguments)
{
    (void)context;
    (void)format;
    (void)arguments;
}

static bool start_daemons(struct server *server)
{
    bool has_one = false;
    for (int i = 0; i < 2; i++) {
        if (server->listener.sockets[i] < 0) {
            continue;
        }
        server->daemons[i] = server->library.MHD_start_daemon(
            MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL, answer,
            server, MHD_OPTION_EXTERNAL_LOGGER, stay_silent, NULL, MHD_OPTION_LISTEN_SOCKET,
            server->listener.sockets[i], MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTION_MAX,
            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
            MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)CONNECTION_TIME_S, MHD_OPTION_NOTIFY_COMPLETED,
            forget, NULL, MHD_OPTION_END);
        has_one |= server->daemons[i] != NULL;
    }
    return has_one;
}

static bool make_token(char *token, struct error *err)
{
    unsigned char bytes[REQUEST_TOKEN_LEN / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        return error_set(err, "cannot serve the page: no random numbers: %s", strerror(errno));
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        token[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        token[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    return true;
}

static void make_contents(struct server *server)
{
    struct text address = {0};
    const struct page_options options = {.mode = PAGE_SERVED};
    page_render(server->profile, &options, &server->page);
    viewer_form(server->profile, &server->form);
    server->files = viewer_form_files(server->profile);
    server->guard.file_count = server->profile->file_count;
    text_format(&address, "http://localhost:%u/%s/", server->listener.port, server->guard.token);
    server->address = address.data;
}

bool server_start(struct server **started, const struct profile *profile,
                  const struct server_options *options, struct error *err)
{
    struct server *server = mem_alloc(sizeof *server);
    server->profile = profile;
    server->options = *options;
    server->streams = (struct stream_list){.library = &server->library, .now_s = now_s};
    server->listener = (struct listener){.sockets = {-1, -1}};
    if (!library_open(&server->library, err) || !make_token(server->guard.token, err) ||
        !listener_open(&server->listener, options->port, err)) {
        free(server);
        return false;
    }
    make_contents(server);
    access_guard();
    server->suggestions = (struct suggestion_desk){
        .library = &server->library, .profile = profile, .files = server->files, .now_s = now_s};
    server->last_request_s = now_s();
    if (!start_daemons(server)) {
        server_stop(server);
        return error_set(err, "cannot serve the page: libmicrohttpd refused to start");
    }
    *started = server;
    return true;
}

unsigned server_port(const struct server *server)
{
    return server->listener.port;
}

const char *server_address(const struct server *server)
{
    return server->address;
}

static bool is_wanted(const struct server *server)
{
    const struct stream_list *streams = &server->streams;
    if (server->options.is_kept || streams->count > 0) {
        return true;
    }
    if (!streams->has_had_one) {
        return now_s() < server->last_request_s + FIRST_PAGE_S;
    }
    return now_s() < streams->last_closed_s + server->options.linger_s;
}

static void run_once(struct server *server)
{
    struct pollfd events[2];
    nfds_t count = 0;
    MHD_UNSIGNED_LONG_LONG wait_ms = server->streams.is_ending ? LAST_WAKE_MS : WAKE_MS;
    for (int i = 0; i < 2; i++) {
        if (server->daemons[i]) {
            const union MHD_DaemonInfo *info =
                server->library.MHD_get_daemon_info(server->daemons[i], MHD_DAEMON_INFO_EPOLL_FD);
            MHD_UNSIGNED_LONG_LONG own_ms;
            if (server->library.MHD_get_timeout(server->daemons[i], &own_ms) == MHD_YES &&
                own_ms < wait_ms) {
                wait_ms = own_ms;
            }
            events[count++] = (struct pollfd){.fd = info->epoll_fd, .events = POLLIN};
        }
    }
    suggestion_wait(&server->suggestions, events, count, (int)wait_ms);
    stream_beat(&server->streams);
    suggestion_run(&server->suggestions);
    for (int i = 0; i < 2; i++) {
        if (server->daemons[i]) {
            server->library.MHD_run(server->daemons[i]);
        }
    }
}

void server_run(struct server *server)
{
    struct sigaction action = {.sa_handler = ask_to_end};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    while (!is_asked_to_end && is_wanted(server)) {
        run_once(server);
    }
}

void server_stop(struct server *server)
{
    stream_end_all(&server->streams);
    suggestion_end_all(&server->suggestions);
    for (int turn = 0; turn < LAST_TURNS && server->streams.count > 0; turn++) {
        run_once(server);
    }
    for (int i = 0; i < 2; i++) {
        if (server->daemons[i]) {
            server->library.MHD_stop_daemon(server->daemons[i]);
        }
    }
    suggestion_close(&server->suggestions);
    text_clear(&server->page);
    text_clear(&server->form);
    free(server->address);
    free(server->files);
    free(server);
}
