// SPDX-License-Identifier: Apache-2.0
#pragma once

// How busy engines were between two looks at their counters, which only ever grow: one that steps
// back is believed to stand still. A look is known to lie between two moments: where these are far
// apart, measured by the time since the look before, it tells nothing and the next one is compared
// with that one instead. So what is told is right to 2 parts in 100 of itself on any machine.
// Zero-initialised is empty; bounded.

#include "accel/fdinfo.h"
#include "base/map.h"

struct engine_look {
    uint64_t busy;
    uint64_t total_cycles;
    double time_s; // when it was begun
};

struct engine_counter {
    struct engine_look kept;   // to compare with; its time is negative: there is none
    struct engine_look latest; // to be kept, if its look is
};

struct engine_time {
    struct map index; // of client and engine, to its counter
    struct engine_counter *counters;
    size_t count;
    size_t capacity;
    double kept_s;   // when the last look that was kept began; 0: none was
    double unsure_s; // how long it took
    bool has_told;   // one was compared with it, or with one before it
};

// The part of the time since the last look that was kept, in which the client's busiest engine
// worked for it; negative the first time, when there is nothing to compare with. `now_s` is when
// this look began.
double engine_time_busy(struct engine_time *time, int pid, const struct fdinfo_client *client,
                        double now_s);

// All clients were looked at between these moments. False: too slowly to say anything.
bool engine_time_keep(struct engine_time *time, double begin_s, double end_s);

void engine_time_clear(struct engine_time *time);
