// SPDX-License-Identifier: Apache-2.0
#pragma once

// The processes that are read, and what each has open. They come and go: who stays keeps what was
// seen of it, and only who is new has to be looked at before its time. Zero-initialised is empty.

#include "accel/source.h"

#define FOLLOWED_MAX 512

struct followed {
    struct source_process processes[FOLLOWED_MAX];
    bool is_new[FOLLOWED_MAX]; // not looked at yet
    size_t count;
};

// These there are now.
void followed_take(struct followed *followed, const int *pids, size_t count);

// Looks at what they have open: at the new ones, or at all.
void followed_look(struct followed *followed, bool at_all);
