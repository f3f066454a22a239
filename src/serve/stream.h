// SPDX-License-Identifier: Apache-2.0
#pragma once

// The open pages. Each holds a stream of events that never says anything but a sign of life now and
// then, by which a closed page is noticed. (A page that asks every few seconds would be taken for
// closed when the browser slows the timers of a hidden tab.)

#include <stdbool.h>

#include "serve/library.h"

#define STREAM_MAX    64
#define STREAM_BEAT_S 5

struct stream {
    struct stream_list *list;
    struct MHD_Connection *connection; // NULL: free
    double next_beat_s;
    bool is_suspended;
    bool has_said_goodbye;
};

struct stream_list {
    const struct library *library;
    double (*now_s)(void);
    struct stream streams[STREAM_MAX];
    unsigned count;
    bool has_had_one;
    bool is_ending;
    double last_closed_s;
};

// A response that never ends; NULL when there are too many.
struct MHD_Response *stream_open(struct stream_list *list, struct MHD_Connection *connection);

// Wakes those whose sign of life is due.
void stream_beat(struct stream_list *list);

// Before the server stops: each says so to its page, and ends with the next turns of the server.
void stream_end_all(struct stream_list *list);
