// SPDX-License-Identifier: Apache-2.0
#pragma once

// Python, native or system: what one sample's native chain says. docs/accuracy.md has the rule and
// how it was tried.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "collect/entry_points.h"
#include "collect/unwind.h"
#include "wire/record.h"

enum kind {
    KIND_EVAL,   // in the evaluation loop itself: Python
    KIND_HELPER, // in a function of the interpreter's, for the loop: see tally.h
    KIND_NATIVE, // in a C function that the line called
    KIND_SYSTEM,
};

// What a process's interpreter is known by. Zero-initialised: nothing known.
struct kind_roles {
    struct map roles; // address to enum address_role + 1
    uint64_t eval_start;
    uint64_t eval_end;
    uint64_t runtime;          // an address inside the interpreter's image
    struct image *interpreter; // NULL until looked for
    const struct entry_points *entry_points;
    bool has_mark;
};

struct kind_verdict {
    enum kind kind;
    int32_t instruction; // of the innermost Python frame
    bool is_freeing;     // a helper that frees an object
    size_t native_count; // frames inside the innermost evaluation loop
};

// `chain` is innermost first. `sample` gives the flags, the instruction and the mark.
struct kind_verdict kind_judge(const struct kind_roles *roles, const struct record_sample *sample,
                               const struct unwind_frame *chain, size_t count);

// The kernel was at work for the thread when the signal came.
bool kind_is_system_call(const struct record_sample *sample);
