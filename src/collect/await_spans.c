// SPDX-License-Identifier: Apache-2.0
#include "collect/await_spans.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"

#define FIRST_STEP_S 0.1
#define SPAN_MAX     16384u

double await_spans_step_s(const struct await_spans *spans)
{
    return spans->step_s > 0 ? spans->step_s : FIRST_STEP_S;
}

bool await_spans_is_due(const struct await_spans *spans, double now_s)
{
    return now_s - spans->last_s >= await_spans_step_s(spans);
}

// Steps of time become twice as long: what a chain waited in two of them is one span.
static void widen(struct await_spans *spans)
{
    struct map places = {0};
    size_t kept = 0;
    for (size_t i = 0; i < spans->count; i++) {
        struct await_span span = spans->list[i];
        span.step /= 2;
        uint64_t key = (uint64_t)span.step << 32 | span.chain;
        uint64_t place = map_get(&places, key);
        if (place != 0) {
            spans->list[place - 1].waited_s += span.waited_s;
            continue;
        }
        spans->list[kept++] = span;
        map_put(&places, key, kept);
    }
    map_clear(&places);
    spans->count = kept;
    spans->step_s = 2 * await_spans_step_s(spans);
}

void await_spans_add(struct await_spans *spans, uint32_t chain, double waited_s)
{
    if (!spans->seen_s) {
        spans->seen_s = mem_alloc(AWAIT_CHAIN_COUNT * sizeof *spans->seen_s);
    }
    double more_s = waited_s - spans->seen_s[chain];
    if (more_s <= 0) {
        return;
    }
    spans->seen_s[chain] = waited_s;
    while (spans->count >= SPAN_MAX) {
        widen(spans);
    }
    spans->list = mem_grow(spans->list, spans->count, &spans->capacity, sizeof *spans->list);
    spans->list[spans->count++] =
        (struct await_span){(uint32_t)(spans->last_s / await_spans_step_s(spans)), chain, more_s};
}

void await_spans_end_look(struct await_spans *spans, double now_s)
{
    spans->last_s = now_s;
}

void await_spans_clear(struct await_spans *spans)
{
    free(spans->list);
    free(spans->seen_s);
    *spans = (struct await_spans){0};
}
