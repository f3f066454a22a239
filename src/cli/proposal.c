// SPDX-License-Identifier: Apache-2.0
#include "cli/proposal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/utf8.h"
#include "suggest/exchange.h"
#include "suggest/replacement.h"
#include "suggest/url.h"

#define WAIT_MS 100 // a signal that comes just before is seen then

static volatile sig_atomic_t is_cancelled;

static void cancel(int signal)
{
    (void)signal;
    is_cancelled = 1;
}

// A second Ctrl-C ends the process.
static void begin_cancellable(void)
{
    struct sigaction action = {.sa_handler = cancel, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
}

static bool end_cancellable(struct error *err)
{
    signal(SIGINT, SIG_DFL);
    return is_cancelled ? error_set(err, "cancelled") : true;
}

void proposal_end_cancelled(void)
{
    if (is_cancelled) {
        fflush(NULL);
        raise(SIGINT);
    }
}

// Text from elsewhere must not steer the terminal.
static void print_plain(FILE *stream, const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        uint32_t point;
        char bytes[5];
        at += utf8_read(text + at, len - at, &point);
        bool is_control = utf8_is_control(point) && point != '\n' && point != '\t';
        bytes[utf8_write(is_control ? UTF8_REPLACEMENT : point, bytes)] = '\0';
        fputs(bytes, stream);
    }
}

static void print_text(FILE *stream, const struct text *text)
{
    print_plain(stream, text->data ? text->data : "", text->len);
}

static void print_prompt(FILE *stream, const struct prompt *prompt)
{
    fputs("System:\n", stream);
    print_text(stream, &prompt->system);
    fputs("\n\nUser:\n", stream);
    print_text(stream, &prompt->user);
}

static void print_destination(FILE *stream, const struct proposal *proposal,
                              const struct access *access, const struct prompt *prompt)
{
    struct text destination = {0};
    exchange_add_destination(&destination, proposal->provider, access, prompt);
    fprintf(stream, "To: %s\nModel: %s\n%s\n", destination.data, access->model,
            url_is_local(destination.data) ? "Nothing leaves this computer.\n" : "");
    text_clear(&destination);
}

void proposal_print_prompt(const struct proposal *proposal, const struct profile *profile,
                           const struct region *region)
{
    struct prompt prompt;
    struct access access;
    struct error err;
    prompt_write(&prompt, profile, region, &proposal->prompt);
    if (proposal->provider && access_open(&access, proposal->provider, &proposal->wish, &err)) {
        print_destination(stdout, proposal, &access, &prompt);
        access_clear(&access);
    }
    print_prompt(stdout, &prompt);
    prompt_clear(&prompt);
}

// Whether a line of the terminal is there: Ctrl-C in the moment before it is read counts too.
static bool wait_for_line(void)
{
    struct pollfd terminal = {.fd = STDIN_FILENO, .events = POLLIN};
    sigset_t interrupt;
    sigset_t before;
    int count = 0;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, &before);
    do {
        count = is_cancelled ? 0 : ppoll(&terminal, 1, NULL, &before);
    } while (count < 0 && errno == EINTR);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return count > 0;
}

// What goes to another computer is shown and agreed to first.
static bool is_allowed(const struct proposal *proposal, const struct access *access,
                       const struct prompt *prompt, struct error *err)
{
    char answer[16];
    if (proposal->is_agreed || url_is_local(access->address)) {
        return true;
    }
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
        return error_set(err, "source text would be sent to another computer: see it with "
                              "--print-prompt, and agree with --yes");
    }
    print_destination(stderr, proposal, access, prompt);
    print_prompt(stderr, prompt);
    fputs("\nSend this? [y/N] ", stderr);
    bool is_yes = wait_for_line() && fgets(answer, sizeof answer, stdin) &&
                  (answer[0] == 'y' || answer[0] == 'Y');
    return is_yes ? true : error_set(err, "nothing was sent");
}

struct hearing {
    FILE *stream;
    bool is_list;
    struct text answer;
    struct text problem;
    bool is_over;
    bool is_cut;
};

static void hear(void *context, const char *piece, size_t len)
{
    struct hearing *hearing = context;
    if (!hearing->is_list) {
        text_add_bytes(&hearing->answer, piece, len);
    }
    print_plain(hearing->stream, piece, len);
    fputs(hearing->is_list ? "\n" : "", hearing->stream);
    fflush(hearing->stream);
}

static void end(void *context, const char *problem, bool is_cut)
{
    struct hearing *hearing = context;
    hearing->is_over = true;
    hearing->is_cut = is_cut;
    if (problem) {
        text_add(&hearing->problem, problem);
    }
}

static bool listen_to(struct switchboard *board, struct hearing *hearing, struct error *err)
{
    while (!hearing->is_over && !is_cancelled) {
        switchboard_run(board);
        if (!hearing->is_over && !is_cancelled) {
            switchboard_wait(board, NULL, 0, WAIT_MS);
        }
    }
    return hearing->problem.len == 0 ? true : error_set(err, "%s", hearing->problem.data);
}

// Takes the access. A prompt of NULL asks for the models.
static bool exchange(const struct proposal *proposal, struct access *access,
                     const struct prompt *prompt, struct hearing *hearing, struct error *err)
{
    struct switchboard *board;
    if (!switchboard_open(&board, err)) {
        access_clear(access);
        return false;
    }
    const struct exchange_plan plan = {
        .provider = proposal->provider,
        .prompt = prompt,
        .timeout_s = proposal->timeout_s,
        .listener = {.context = hearing, .said = hear, .ended = end},
    };
    bool is_heard = exchange_start(board, access, &plan, err) && listen_to(board, hearing, err);
    if (!is_cancelled) { // its tidying up may wait for a name to be found
        switchboard_close(board);
    }
    return is_heard;
}

static void print_heading(const struct access *access, const struct region *region)
{
    const char *slash = strrchr(region->file->path, '/');
    struct text host = {0};
    url_add_host(&host, access->address);
    fprintf(stderr, "Scalene: asks %s (%s) about ", host.data, access->model);
    print_plain(stderr, slash ? slash + 1 : region->file->path,
                strlen(slash ? slash + 1 : region->file->path));
    fprintf(stderr, ":%d", region->first);
    if (region->last > region->first) {
        fprintf(stderr, "-%d", region->last);
    }
    fprintf(stderr, ", %.0f%% of the time\n", 100 * region->stake.time);
    text_clear(&host);
}

static bool read_change(struct diff *diff, const struct hearing *hearing,
                        const struct region *region, struct error *err)
{
    struct text code = {0};
    if (!replacement_read(&code, hearing->answer.data ? hearing->answer.data : "", region, err)) {
        text_clear(&code);
        return false;
    }
    diff_make(diff, region, code.data, code.len);
    text_clear(&code);
    fputs(diff->change_count > 0 ? "Scalene: not verified; test it, profile again and compare\n"
                                 : "Scalene: the model proposes no change\n",
          stderr);
    return hearing->is_cut ? error_set(err, "the answer was cut at the length that the provider "
                                            "allows, so the change is incomplete")
                           : true;
}

bool proposal_ask(const struct proposal *proposal, const struct profile *profile,
                  const struct region *region, struct diff *diff, struct error *err)
{
    struct prompt prompt;
    struct access access;
    struct hearing hearing = {.stream = proposal->is_patched ? stderr : stdout};
    if (!access_open(&access, proposal->provider, &proposal->wish, err)) {
        return false;
    }
    prompt_write(&prompt, profile, region, &proposal->prompt);
    begin_cancellable();
    bool is_done = is_allowed(proposal, &access, &prompt, err);
    if (is_done) {
        print_heading(&access, region);
        is_done = exchange(proposal, &access, &prompt, &hearing, err);
        fputs(hearing.answer.len > 0 ? "\n\n" : "", hearing.stream);
    }
    is_done = end_cancellable(err) && is_done && read_change(diff, &hearing, region, err);
    access_clear(&access);
    prompt_clear(&prompt);
    text_clear(&hearing.answer);
    text_clear(&hearing.problem);
    return is_done;
}

void proposal_print_change(const struct text *patch)
{
    print_text(stdout, patch);
}

bool proposal_list_models(const struct proposal *proposal, struct error *err)
{
    struct access access;
    struct hearing hearing = {.stream = stdout, .is_list = true};
    if (!access_open(&access, proposal->provider, &proposal->wish, err)) {
        return false;
    }
    begin_cancellable();
    bool is_listed = exchange(proposal, &access, NULL, &hearing, err);
    is_listed = end_cancellable(err) && is_listed;
    text_clear(&hearing.problem);
    return is_listed;
}
