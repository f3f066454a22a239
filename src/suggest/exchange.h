// SPDX-License-Identifier: Apache-2.0
#pragma once

// One question to a provider and its answer, as it comes. Bounded in size and time, never repeated
// by itself: what a server says about waiting is told. No redirect is followed, so that a key goes
// where it was meant to go and nowhere else. Nothing here starts a thread of ours.

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "suggest/access.h"
#include "suggest/prompt.h"
#include "suggest/provider.h"

#define EXCHANGE_TIMEOUT_S 600

// All exchanges that are going on.
struct switchboard;
struct exchange;

struct exchange_listener {
    void *context;
    // A piece of the answer; of a list of models, one name.
    void (*said)(void *context, const char *piece, size_t len);
    // The last call; the exchange is gone. NULL: all went well. `is_cut`: the model had more to
    // say.
    void (*ended)(void *context, const char *problem, bool is_cut);
};

struct exchange_plan {
    const struct provider *provider;
    const struct prompt *prompt; // NULL: a list of the models is asked for
    double timeout_s;            // 0: EXCHANGE_TIMEOUT_S
    struct exchange_listener listener;
};

// Opens libcurl.
bool switchboard_open(struct switchboard **board, struct error *err)
    __attribute__((warn_unused_result));
void switchboard_close(struct switchboard *board);

// Waits until something happens to an exchange or to one of the descriptors, or for so long.
void switchboard_wait(struct switchboard *board, const struct pollfd *others, size_t count,
                      int timeout_ms);

// Moves all exchanges on and tells their listeners.
void switchboard_run(struct switchboard *board);
bool switchboard_is_idle(const struct switchboard *board);

// The address that a question goes to.
void exchange_add_destination(struct text *out, const struct provider *provider,
                              const struct access *access, const struct prompt *prompt);

// Takes the access, whatever happens. NULL, with the reason, if there is nothing that can be sent.
struct exchange *exchange_start(struct switchboard *board, struct access *access,
                                const struct exchange_plan *plan, struct error *err);

// At once, and without a last call.
void exchange_cancel(struct exchange *exchange);
