// SPDX-License-Identifier: Apache-2.0
#pragma once

// Answers of models for the page: each is a stream of JSON documents, one a line, that lasts as
// long as the model speaks. A page that goes away, or does not want to hear more, ends its question
// too: an empty line now and then lets that be noticed.

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "profile/profile.h"
#include "serve/library.h"
#include "serve/question.h"
#include "suggest/exchange.h"

#define SUGGESTION_MAX    4 // at a time
#define SUGGESTION_BEAT_S 0.25

struct suggestion {
    struct suggestion_desk *desk;
    struct MHD_Connection *connection; // NULL: free
    struct exchange *exchange;         // NULL: it has ended
    struct question question;
    struct text answer;  // of the model, so far
    struct text pending; // for the page
    size_t sent;         // bytes of it
    double next_beat_s;
    bool is_suspended;
};

struct suggestion_desk {
    const struct library *library;
    const struct profile *profile;
    const size_t *files; // in the order of the form
    double (*now_s)(void);
    struct switchboard *board; // NULL: nothing has been asked yet
    struct suggestion suggestions[SUGGESTION_MAX];
};

// Who can be asked, and for whom there is a key in the environment; never a key itself.
struct MHD_Response *suggestion_providers(const struct suggestion_desk *desk);

// What would be sent, and where.
struct MHD_Response *suggestion_prompt(const struct suggestion_desk *desk, const struct text *body);

// Asks. What goes wrong is part of the stream.
struct MHD_Response *suggestion_open(struct suggestion_desk *desk,
                                     struct MHD_Connection *connection, const struct text *body,
                                     bool is_about_models);

// Waits for the descriptors or for a model, for so long at most.
void suggestion_wait(struct suggestion_desk *desk, const struct pollfd *others, size_t count,
                     int timeout_ms);
void suggestion_run(struct suggestion_desk *desk);

// Before the server stops.
void suggestion_end_all(struct suggestion_desk *desk);
void suggestion_close(struct suggestion_desk *desk);
