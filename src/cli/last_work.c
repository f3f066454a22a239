// SPDX-License-Identifier: Apache-2.0
#include "cli/last_work.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define LONG_S     1.0
#define INTERVAL_S 0.1
#define LINE_CLEAR "\r\033[K"

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void last_work_begin(struct last_work *work)
{
    *work = (struct last_work){.is_shown_at_all = isatty(STDERR_FILENO), .began_s = now_s()};
}

static bool is_time(struct last_work *work, double interval_s)
{
    double time_s = now_s();
    if (!work->is_shown_at_all || time_s - work->began_s < LONG_S ||
        time_s - work->shown_s < interval_s) {
        return false;
    }
    work->shown_s = time_s;
    work->is_shown_now = true;
    return true;
}

void last_work_name(struct last_work *work, const char *what)
{
    work->what = what;
    if (is_time(work, 0)) {
        fprintf(stderr, LINE_CLEAR "scalene: %s", what);
    }
}

void last_work_step(void *context, size_t done, size_t total)
{
    struct last_work *work = context;
    if (is_time(work, INTERVAL_S)) {
        fprintf(stderr, LINE_CLEAR "scalene: %s %zu/%zu", work->what, done, total);
    }
}

void last_work_end(struct last_work *work)
{
    if (work->is_shown_now) {
        fputs(LINE_CLEAR, stderr);
    }
    work->is_shown_at_all = false;
}
