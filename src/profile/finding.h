// SPDX-License-Identifier: Apache-2.0
#pragma once

// What stands out in a profile, in words (docs/findings.md). Found once, from the numbers and their
// errors, so that terminal, page and JSON say the same. A rule speaks only where the lower end of
// the 95 % interval is above its threshold: a profile in which nothing is significant has none.

#include <stdbool.h>
#include <stddef.h>

#define FINDING_MAX          8 // that are kept; of the rest the number
#define FINDING_EVIDENCE_MAX 6
#define FINDING_PLACE_MAX    4

// What is said where there is none.
#define FINDING_NONE \
    "Nothing stands out: no line, wait or block of memory is large enough to be told from chance."

#define FINDING_SEVERITIES(X) \
    X(high)                   \
    X(medium)                 \
    X(low)                    \
    X(info)

enum finding_severity {

#define X(name) FINDING_##name,
    FINDING_SEVERITIES(X)
#undef X
        FINDING_SEVERITY_COUNT
};

extern const char *const finding_severity_names[FINDING_SEVERITY_COUNT];

struct finding_evidence {
    char *label;
    double value;
    char *unit;   // "s", "%", "MB", "MB/s", or empty
    double error; // half-width of the 95 % interval; negative: exact
};

// NULL and 0: unknown.
struct finding_place {
    char *file;
    int line;
    char *function;
    char *thread;
};

struct finding {
    char *id; // "hot-line"
    enum finding_severity severity;
    double weight; // 0 to 1: how much is at stake
    char *sentence;
    struct finding_evidence evidence[FINDING_EVIDENCE_MAX];
    size_t evidence_count;
    struct finding_place places[FINDING_PLACE_MAX]; // the most important first
    size_t place_count;
    char *how_measured;
    char *next_step;
};

struct finding_list {
    struct finding *items; // the weightiest first
    size_t count;
    size_t capacity;
    size_t left_out;
};

struct profile;

// Looks for all findings, in place of those that the profile has.
void finding_search(struct profile *profile);
void finding_list_clear(struct finding_list *list);
