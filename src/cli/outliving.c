// SPDX-License-Identifier: Apache-2.0
#include "cli/outliving.h"

#include <math.h>
#include <poll.h>
#include <time.h>

#include "base/text.h"
#include "cli/message.h"

#define PIDS_NAMED     8u
#define GRACE_S        0.2
#define GRACE_PAUSE_MS 2

// "2 processes of the program (PID 11, 12)"; 0 when there are none.
static size_t name_processes(struct collector *collector, struct text *out)
{
    int pids[PIDS_NAMED];
    size_t count = collector_known_running(collector, pids, PIDS_NAMED);
    text_format(out, "%zu process%s that it started (PID", count, count == 1 ? "" : "es");
    for (size_t i = 0; i < count && i < PIDS_NAMED; i++) {
        text_add(out, i == 0 ? " " : ", ");
        if (pids[i] > 0) {
            text_format(out, "%d", pids[i]);
        } else {
            text_add(out, "not known yet");
        }
    }
    text_add(out, count > PIDS_NAMED ? ", ...)" : ")");
    return count;
}

static void announce(const struct outliving *outliving)
{
    struct text names = {0};
    size_t count = name_processes(outliving->collector, &names);
    message_print("the program has ended, %s %s on: the profile is in %s and is written again when "
                  "%s ended; Ctrl-C does not wait, nor does --no-wait-children",
                  names.data, count == 1 ? "goes" : "go", outliving->outfile,
                  count == 1 ? "it has" : "they have");
    text_clear(&names);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// By the clock: on a crowded machine each pause is far longer, and a child that is being forked is
// given up after a while.
static size_t running_after_grace(struct collector *collector)
{
    double end_s = now_s() + GRACE_S;
    size_t count = collector_running(collector, NULL, 0);
    while (count > 0 && now_s() < end_s) {
        poll(NULL, 0, GRACE_PAUSE_MS);
        collector_drain(collector);
        count = collector_running(collector, NULL, 0);
    }
    return count;
}

void outliving_follow(const struct outliving *outliving)
{
    struct collector *collector = outliving->collector;
    if (running_after_grace(collector) > 0 && outliving->is_waited_for) {
        outliving->save(outliving->context);
        announce(outliving);
        double pause_s = 0;
        while (collector_running(collector, NULL, 0) > 0 &&
               !program_is_left(outliving->program, (int)ceil(pause_s * 1000))) {
            pause_s = outliving->keep_up(outliving->context);
        }
    }
    collector_let_go(collector);
}

void outliving_note(struct collector *collector, struct profile *profile)
{
    struct text names = {0};
    if (collector_has_ended(collector) && name_processes(collector, &names) > 0) {
        profile_note(profile, "When this was written the program had ended and %s went on.",
                     names.data);
    }
    text_clear(&names);
}
