// SPDX-License-Identifier: Apache-2.0
#pragma once

// A collector over the ring of one process that is written for it, and the profile that comes of
// it. FIXTURE_FILE is the program, and all that counts as its own.

#include <stdbool.h>

#include "collect/collector.h"
#include "profile/profile.h"
#include "synthetic_writer.h"

#define FIXTURE_FILE "/folder/a.py"

struct fixture {
    struct writer_run run;
    struct writer writer;
    struct collector *collector;
    struct profile *profile; // NULL until fixture_collect
    bool is_alive;           // the process exists, and does nothing
};

struct fixture_options {
    bool is_alive; // a process that is there; else one that is gone before it is looked at
    bool has_memory;
    bool has_leak_detector;
};

// With its main thread begun.
void fixture_begin(struct fixture *fixture, const struct fixture_options *options);

// Code 1 is `work` of FIXTURE_FILE, lines 10 to 29; code 2 is a library's.
void fixture_add_codes(struct fixture *fixture);

// The process ends where the writer stands, and the profile is filled.
void fixture_collect(struct fixture *fixture);
void fixture_end(struct fixture *fixture);

// Fails the test where the profile has no such line.
const struct profile_line *fixture_line(const struct profile *profile, const char *path,
                                        int number);
bool fixture_has_note(const struct profile *profile, const char *part);

// Up to what adding up doubles loses.
void assert_near(double found, double expected);
