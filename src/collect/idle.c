// SPDX-License-Identifier: Apache-2.0
#include "collect/idle.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define BIN_MAX    32768
#define FIRST_BIN  0.010 // s
#define SITE_COUNT 3

struct bin {
    float busy_part; // in which some thread ran
    uint32_t spots[SITE_COUNT];
    float waits_s[SITE_COUNT];
};

struct idle {
    double start_s;
    double width_s;
    unsigned doublings;
    struct bin *bins;
};

struct idle *idle_new(double start_s)
{
    struct idle *idle = mem_alloc(sizeof *idle);
    idle->start_s = start_s;
    idle->width_s = FIRST_BIN;
    idle->bins = mem_alloc(BIN_MAX * sizeof *idle->bins);
    return idle;
}

void idle_free(struct idle *idle)
{
    free(idle->bins);
    free(idle);
}

static void add_site(struct bin *bin, uint32_t spot, float seconds)
{
    size_t least = 0;
    for (size_t i = 0; i < SITE_COUNT; i++) {
        if (bin->waits_s[i] > 0 && bin->spots[i] == spot) {
            bin->waits_s[i] += seconds;
            return;
        }
        if (bin->waits_s[i] < bin->waits_s[least]) {
            least = i;
        }
    }
    bin->spots[least] = spot;
    bin->waits_s[least] += seconds;
}

// Two bins as one of twice the width.
static struct bin merge(const struct bin pair[2])
{
    struct bin made = {.busy_part = (pair[0].busy_part + pair[1].busy_part) / 2};
    for (size_t i = 0; i < 2 * SITE_COUNT; i++) {
        const struct bin *from = &pair[i / SITE_COUNT];
        if (from->waits_s[i % SITE_COUNT] > 0) {
            add_site(&made, from->spots[i % SITE_COUNT], from->waits_s[i % SITE_COUNT]);
        }
    }
    return made;
}

static void halve(struct idle *idle)
{
    for (size_t i = 0; i < BIN_MAX; i++) {
        idle->bins[i] = i < BIN_MAX / 2 ? merge(&idle->bins[2 * i]) : (struct bin){0};
    }
    idle->width_s *= 2;
    idle->doublings++;
}

static int64_t bin_of(struct idle *idle, double time_s)
{
    double since = time_s - idle->start_s;
    while (since >= idle->width_s * BIN_MAX) {
        halve(idle);
    }
    return since > 0 ? (int64_t)(since / idle->width_s) : 0;
}

void idle_thread_ends(struct idle *idle, struct idle_thread *thread)
{
    if (thread->busy_s <= 0 || thread->bin >= BIN_MAX) {
        return;
    }
    struct bin *bin = &idle->bins[thread->bin];
    double busy = fmin(1, thread->busy_s / idle->width_s);
    bin->busy_part = (float)(1 - (1 - (double)bin->busy_part) * (1 - busy));
    thread->busy_s = 0;
}

void idle_add_busy(struct idle *idle, struct idle_thread *thread, double from_s, double to_s,
                   double part)
{
    unsigned doublings = idle->doublings;
    int64_t last = bin_of(idle, to_s);
    thread->bin >>= idle->doublings - doublings;
    for (int64_t i = bin_of(idle, from_s); i <= last; i++) {
        double bin_start = idle->start_s + (double)i * idle->width_s;
        double overlap = fmin(to_s, bin_start + idle->width_s) - fmax(from_s, bin_start);
        if (overlap <= 0) {
            continue;
        }
        if (thread->bin != i) {
            idle_thread_ends(idle, thread);
            thread->bin = i;
        }
        thread->busy_s += overlap * part;
    }
}

void idle_add_wait(struct idle *idle, uint32_t spot, double from_s, double to_s)
{
    int64_t last = bin_of(idle, to_s);
    for (int64_t i = bin_of(idle, from_s); i <= last; i++) {
        double bin_start = idle->start_s + (double)i * idle->width_s;
        double overlap = fmin(to_s, bin_start + idle->width_s) - fmax(from_s, bin_start);
        if (overlap > 0) {
            add_site(&idle->bins[i], spot, (float)overlap);
        }
    }
}

static void share_bin(const struct bin *bin, double idle_s,
                      void (*add)(void *context, uint32_t spot, double seconds), void *context)
{
    double waits = 0;
    for (size_t i = 0; i < SITE_COUNT; i++) {
        waits += (double)bin->waits_s[i];
    }
    // Blocked where no hook sees it: nobody's line, but idle all the same.
    double known = fmin(idle_s, waits);
    for (size_t i = 0; i < SITE_COUNT && waits > 0; i++) {
        if (bin->waits_s[i] > 0) {
            add(context, bin->spots[i], known * (double)bin->waits_s[i] / waits);
        }
    }
    if (idle_s > known) {
        add(context, 0, idle_s - known);
    }
}

void idle_share(const struct idle *idle, double start_s, double end_s,
                void (*add)(void *context, uint32_t spot, double seconds), void *context)
{
    for (size_t i = 0; i < BIN_MAX; i++) {
        double bin_start = idle->start_s + (double)i * idle->width_s;
        double width = fmin(bin_start + idle->width_s, end_s) - fmax(bin_start, start_s);
        if (bin_start >= end_s) {
            break;
        }
        if (width <= 0) {
            continue;
        }
        double busy = fmin(width, (double)idle->bins[i].busy_part * idle->width_s);
        if (busy < width) {
            share_bin(&idle->bins[i], width - busy, add, context);
        }
    }
}
