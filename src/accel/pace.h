// SPDX-License-Identifier: Apache-2.0
#pragma once

// How often something may be asked. Drivers answer under a lock that the program's own launches
// need: no more than one percent of the time is spent asking. Where an answer takes more than a
// tenth of a second it is asked for every ten seconds all the same, up to a tenth of the time.

#include <stdbool.h>

struct pace {
    double period_s; // between two questions at the least
    double next_s;   // when the next may be asked
    double last_s;   // when the last was; 0: none was
};

bool pace_is_due(const struct pace *pace, double now_s);

// It was asked at `now_s`, and the answer took `cost_s`.
void pace_done(struct pace *pace, double now_s, double cost_s);

// Since when an answer to a question at `now_s` tells: since the last one, or for one period the
// first time. After a pause that was longer than twice what was due it says nothing of all of it.
double pace_since_s(const struct pace *pace, double now_s);

double pace_now_s(void); // CLOCK_MONOTONIC
