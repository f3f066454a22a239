// SPDX-License-Identifier: Apache-2.0
#include "suggest/exchange.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "suggest/refusal.h"
#include "suggest/transport.h"
#include "suggest/url.h"

#define CONNECT_TIMEOUT_S 5.0                 // of a question that may take EXCHANGE_TIMEOUT_S
#define RECEIVED_MAX      (16u * 1024 * 1024) // bytes, wrapping included
#define WAIT_DESCRIPTORS  16
#define BREATH_MS         5

struct switchboard {
    struct transport curl;
    CURLM *multi;
    struct exchange *first;
};

struct exchange {
    struct switchboard *board;
    struct exchange *next;
    const struct provider *provider;
    struct exchange_listener listener;
    bool lists_models;
    struct access access;
    struct provider_request request;
    CURL *easy;
    struct curl_slist *headers;
    struct event_reader events;
    struct answer answer;
    struct names models;
    size_t told; // bytes of the answer, or names of models
    size_t received;
    double retry_after_s; // as a header says it more exactly than libcurl does; 0: none does
    struct text refusal;  // the body that came instead of an answer
    char words[CURL_ERROR_SIZE];
};

bool switchboard_open(struct switchboard **opened, struct error *err)
{
    struct switchboard *board = mem_alloc(sizeof *board);
    if (!transport_open(&board->curl, err)) {
        free(board);
        return false;
    }
    board->multi = board->curl.curl_multi_init();
    if (!board->multi) {
        free(board);
        return error_set(err, "cannot ask a model: libcurl does not start");
    }
    *opened = board;
    return true;
}

static void release(struct exchange *exchange)
{
    struct switchboard *board = exchange->board;
    struct exchange **link = &board->first;
    while (*link != exchange) {
        link = &(*link)->next;
    }
    *link = exchange->next;
    board->curl.curl_multi_remove_handle(board->multi, exchange->easy);
    board->curl.curl_easy_cleanup(exchange->easy);
    for (struct curl_slist *at = exchange->headers; at; at = at->next) {
        explicit_bzero(at->data, strlen(at->data));
    }
    board->curl.curl_slist_free_all(exchange->headers);
    provider_request_clear(&exchange->request);
    access_clear(&exchange->access);
    event_clear(&exchange->events);
    answer_clear(&exchange->answer);
    names_clear(&exchange->models);
    text_clear(&exchange->refusal);
    free(exchange);
}

void exchange_cancel(struct exchange *exchange)
{
    release(exchange);
}

void switchboard_close(struct switchboard *board)
{
    while (board->first) {
        release(board->first);
    }
    board->curl.curl_multi_cleanup(board->multi);
    free(board);
}

static void read_document(void *context, const json_t *document)
{
    struct exchange *exchange = context;
    if (exchange->lists_models) {
        provider_read_models(exchange->provider, &exchange->models, document);
        exchange->answer.is_finished = true;
    } else {
        exchange->provider->read(&exchange->answer, document);
    }
}

static void read_end(void *context)
{
    struct exchange *exchange = context;
    exchange->answer.is_finished = true;
}

static void tell(struct exchange *exchange)
{
    const struct exchange_listener *listener = &exchange->listener;
    struct text *text = &exchange->answer.text;
    for (; exchange->lists_models && exchange->told < exchange->models.count; exchange->told++) {
        const char *name = exchange->models.texts[exchange->told];
        listener->said(listener->context, name, strlen(name));
    }
    if (!exchange->lists_models && exchange->told < text->len) {
        size_t from = exchange->told;
        exchange->told = text->len;
        listener->said(listener->context, text->data + from, text->len - from);
    }
}

static long status_of(const struct exchange *exchange)
{
    long status = 0;
    exchange->board->curl.curl_easy_getinfo(exchange->easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

// 0 ends the transfer.
static size_t receive(char *bytes, size_t size, size_t count, void *context)
{
    struct exchange *exchange = context;
    size_t len = size * count;
    exchange->received += len;
    if (status_of(exchange) != 200) {
        size_t room = REFUSAL_BODY_MAX - exchange->refusal.len;
        text_add_bytes(&exchange->refusal, bytes, len < room ? len : room);
        return exchange->received <= RECEIVED_MAX ? len : 0;
    }
    event_feed(&exchange->events, bytes, len);
    tell(exchange);
    bool is_bounded = exchange->received <= RECEIVED_MAX && !exchange->events.is_too_long &&
                      !exchange->answer.is_too_long;
    return is_bounded && !exchange->events.is_broken ? len : 0;
}

static size_t receive_header(char *bytes, size_t size, size_t count, void *context)
{
    struct exchange *exchange = context;
    double retry_after_s = refusal_retry_after_s(bytes, size * count);
    exchange->retry_after_s = retry_after_s > 0 ? retry_after_s : exchange->retry_after_s;
    return size * count;
}

static void set_security(struct exchange *exchange)
{
    static const char *const bundle_variables[] = {"SSL_CERT_FILE", "CURL_CA_BUNDLE", NULL};
    const struct transport *curl = &exchange->board->curl;
    const char *bundle = access_variable(bundle_variables);
    curl->curl_easy_setopt(exchange->easy, CURLOPT_SSL_VERIFYPEER, 1l);
    curl->curl_easy_setopt(exchange->easy, CURLOPT_SSL_VERIFYHOST, 2l);
    curl->curl_easy_setopt(exchange->easy, CURLOPT_FOLLOWLOCATION, 0l);
    if (bundle) {
        curl->curl_easy_setopt(exchange->easy, CURLOPT_CAINFO, bundle);
    }
    if (url_is_local(exchange->request.url.data)) {
        curl->curl_easy_setopt(exchange->easy, CURLOPT_PROXY, ""); // it must not leave
    }
}

static void set_content(struct exchange *exchange)
{
    const struct transport *curl = &exchange->board->curl;
    const struct provider_request *request = &exchange->request;
    curl->curl_easy_setopt(exchange->easy, CURLOPT_URL, request->url.data);
    for (size_t i = 0; i < request->header_count; i++) {
        exchange->headers = curl->curl_slist_append(exchange->headers, request->headers[i]);
    }
    exchange->headers = curl->curl_slist_append(exchange->headers, "Expect:");
    curl->curl_easy_setopt(exchange->easy, CURLOPT_HTTPHEADER, exchange->headers);
    curl->curl_easy_setopt(exchange->easy, CURLOPT_USERAGENT, "scalene/" SCALENE_VERSION);
    if (request->body.len > 0) {
        curl->curl_easy_setopt(exchange->easy, CURLOPT_POST, 1l);
        curl->curl_easy_setopt(exchange->easy, CURLOPT_POSTFIELDSIZE, (long)request->body.len);
        curl->curl_easy_setopt(exchange->easy, CURLOPT_POSTFIELDS, request->body.data);
    }
}

static void set_course(struct exchange *exchange, double timeout_s)
{
    const struct transport *curl = &exchange->board->curl;
    double seconds = timeout_s > 0 ? timeout_s : EXCHANGE_TIMEOUT_S;
    double connect_s = CONNECT_TIMEOUT_S * fmax(1, seconds / EXCHANGE_TIMEOUT_S);
    curl->curl_easy_setopt(exchange->easy, CURLOPT_PRIVATE, exchange);
    curl->curl_easy_setopt(exchange->easy, CURLOPT_NOSIGNAL, 1l);
    curl->curl_easy_setopt(exchange->easy, CURLOPT_CONNECTTIMEOUT_MS, lround(connect_s * 1000));
    curl->curl_easy_setopt(exchange->easy, CURLOPT_TIMEOUT_MS, lround(seconds * 1000));
    curl->curl_easy_setopt(exchange->easy, CURLOPT_ERRORBUFFER, exchange->words);
    curl->curl_easy_setopt(exchange->easy, CURLOPT_WRITEFUNCTION, receive);
    curl->curl_easy_setopt(exchange->easy, CURLOPT_WRITEDATA, exchange);
    curl->curl_easy_setopt(exchange->easy, CURLOPT_HEADERFUNCTION, receive_header);
    curl->curl_easy_setopt(exchange->easy, CURLOPT_HEADERDATA, exchange);
    curl->curl_easy_setopt(exchange->easy, CURLOPT_QUICK_EXIT, 1l); // older ones do not know it
}

struct exchange *exchange_start(struct switchboard *board, struct access *access,
                                const struct exchange_plan *plan, struct error *err)
{
    struct provider_request request = {0};
    if (!provider_write_request(&request, plan->provider, access, plan->prompt, err)) {
        provider_request_clear(&request);
        access_clear(access);
        return NULL;
    }
    struct exchange *exchange = mem_alloc(sizeof *exchange);
    exchange->request = request;
    exchange->board = board;
    exchange->provider = plan->provider;
    exchange->listener = plan->listener;
    exchange->lists_models = plan->prompt == NULL;
    exchange->access = *access;
    *access = (struct access){0};
    exchange->events = (struct event_reader){
        .framing = plan->prompt ? plan->provider->framing : EVENT_WHOLE,
        .context = exchange,
        .read = read_document,
        .read_end = read_end,
    };
    exchange->easy = board->curl.curl_easy_init();
    set_content(exchange);
    set_security(exchange);
    set_course(exchange, plan->timeout_s);
    board->curl.curl_multi_add_handle(board->multi, exchange->easy);
    exchange->next = board->first;
    board->first = exchange;
    return exchange;
}

void exchange_add_destination(struct text *out, const struct provider *provider,
                              const struct access *access, const struct prompt *prompt)
{
    struct provider_request request = {0};
    provider->ask(&request, access, prompt);
    text_add(out, request.url.data);
    provider_request_clear(&request);
}

static void add_refusal(struct text *out, struct exchange *exchange, const char *host)
{
    curl_off_t retry_s = 0;
    exchange->board->curl.curl_easy_getinfo(exchange->easy, CURLINFO_RETRY_AFTER, &retry_s);
    refusal_add(out, &(struct refusal){.host = host,
                                       .access = &exchange->access,
                                       .status = status_of(exchange),
                                       .retry_after_s = exchange->retry_after_s > 0
                                                            ? exchange->retry_after_s
                                                            : (double)retry_s,
                                       .body = exchange->refusal.data,
                                       .body_len = exchange->refusal.len});
}

// Nothing is added if the answer is complete.
static void add_problem(struct text *out, struct exchange *exchange, CURLcode code)
{
    struct answer *answer = &exchange->answer;
    struct text host = {0};
    answer_tidy_problem(answer, &exchange->access);
    url_add_host(&host, exchange->request.url.data);
    if (answer->is_too_long || exchange->events.is_too_long || exchange->received > RECEIVED_MAX) {
        text_format(out,
                    "%s says more than %u kB, which is no answer to this question; the rest "
                    "was not taken",
                    host.data, ANSWER_MAX / 1024);
    } else if (exchange->events.is_broken) {
        text_format(out, "%s answers with something that is not its protocol; check the address",
                    host.data);
    } else if (code != CURLE_OK) {
        const char *words =
            exchange->words[0] ? exchange->words : exchange->board->curl.curl_easy_strerror(code);
        refusal_add_failure(out, host.data, code, words);
    } else if (status_of(exchange) != 200) {
        add_refusal(out, exchange, host.data);
    } else if (answer->problem.len > 0) {
        text_format(out, "%s: %s", host.data, answer->problem.data);
    } else if (!answer->is_finished) {
        text_format(out, "%s stopped before the answer was complete; try again", host.data);
    }
    text_clear(&host);
}

static void end(struct exchange *exchange, CURLcode code)
{
    struct text problem = {0};
    struct exchange_listener listener = exchange->listener;
    if (code == CURLE_OK && status_of(exchange) == 200) {
        event_end(&exchange->events);
        tell(exchange);
    }
    bool is_cut = exchange->answer.is_cut;
    add_problem(&problem, exchange, code);
    release(exchange);
    listener.ended(listener.context, problem.len > 0 ? problem.data : NULL, is_cut);
    text_clear(&problem);
}

void switchboard_run(struct switchboard *board)
{
    int running;
    int left;
    CURLMsg *message;
    board->curl.curl_multi_perform(board->multi, &running);
    while ((message = board->curl.curl_multi_info_read(board->multi, &left)) != NULL) {
        char *exchange = NULL;
        CURLcode code = message->data.result;
        board->curl.curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &exchange);
        end((struct exchange *)exchange, code);
    }
}

void switchboard_wait(struct switchboard *board, const struct pollfd *others, size_t count,
                      int timeout_ms)
{
    struct curl_waitfd descriptors[WAIT_DESCRIPTORS];
    unsigned used = 0;
    for (size_t i = 0; i < count && i < WAIT_DESCRIPTORS; i++) {
        descriptors[used++] = (struct curl_waitfd){.fd = others[i].fd, .events = CURL_WAIT_POLLIN};
    }
    int count_ready = 0;
    board->curl.curl_multi_wait(board->multi, descriptors, used, timeout_ms, &count_ready);
    if (count_ready == 0) {
        poll(NULL, 0, BREATH_MS); // while a name is looked up it may have nothing to wait for
    }
}

bool switchboard_is_idle(const struct switchboard *board)
{
    return board->first == NULL;
}
