// SPDX-License-Identifier: Apache-2.0
#pragma once

// When a process's tasks waited in which chain, by looks at its await table: spans of a tenth of a
// second each, and of twice as much each time that they are too many. Zero-initialised is empty.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/await_table.h"

struct await_span {
    uint32_t step; // of time
    uint32_t chain;
    double waited_s;
};

struct await_spans {
    struct await_span *list;
    size_t count;
    size_t capacity;
    double step_s;  // 0: none is there yet
    double last_s;  // of the last look
    double *seen_s; // of each chain, what it had waited by then
};

double await_spans_step_s(const struct await_spans *spans);
bool await_spans_is_due(const struct await_spans *spans, double now_s);

// `waited_s`: of each chain, up to now.
void await_spans_add(struct await_spans *spans, uint32_t chain, double waited_s);

// After the last chain of a look.
void await_spans_end_look(struct await_spans *spans, double now_s);

void await_spans_clear(struct await_spans *spans);
