// SPDX-License-Identifier: Apache-2.0
#pragma once

// Profiled processes that go on when the program has ended. They get a moment, since most end right
// after it; who then goes on is waited for, once the profile has been saved and the user told so.

#include "collect/collector.h"
#include "launch/program.h"

struct outliving {
    struct collector *collector;
    const struct program *program; // has ended
    bool is_waited_for;
    const char *outfile;
    void (*save)(void *context);      // the profile as it is now, without a word
    double (*keep_up)(void *context); // reads, and does what is due meanwhile; seconds until then
    void *context;
};

// Returns when all have ended, when they are not waited for, or when the user asks to leave.
// Nothing is read of them any more then.
void outliving_follow(const struct outliving *outliving);

// In a profile that is written without their end; nothing where there are none.
void outliving_note(struct collector *collector, struct profile *profile);
