// SPDX-License-Identifier: Apache-2.0
#include "cli/checkpoint.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "launch/run_dir.h"
#include "profile/save.h"

#define FIRST_AFTER_S 1.0 // twice as long after each, up to the interval
#define INTERVAL_S    10.0
#define COST_PART     25.0 // one that takes more than this part of the interval makes it longer
#define RETRY_S       1.0
#define SHARE_OF_FREE 16 // as of rings: the rest is the program's

struct checkpoint_news {
    double cpu_s;
    _Atomic bool is_written; // stored last
};

static double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void checkpoint_open(struct checkpoint *checkpoint, const struct checkpoint_plan *plan)
{
    struct text path = {0};
    text_format(&path, "%s/" RUN_DIR_CHECKPOINT, plan->run_dir);
    void *news = mmap(NULL, sizeof(struct checkpoint_news), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    double now_s = clock_s(CLOCK_MONOTONIC);
    *checkpoint = (struct checkpoint){
        .plan = *plan,
        .path = path.data,
        .news = news == MAP_FAILED ? NULL : news,
        .original = getpid(),
        .start_s = now_s,
        .next_s = now_s + FIRST_AFTER_S,
        .step_s = FIRST_AFTER_S,
    };
}

static void add_note(const struct checkpoint *checkpoint, struct profile *profile)
{
    if (checkpoint->killed_s == 0) {
        profile_note(profile,
                     "Recovered from a checkpoint: what the program did later than %.1f s after "
                     "its start is missing.",
                     checkpoint->last_s - checkpoint->start_s);
        return;
    }
    profile_note(
        profile,
        "scalene was killed %.1f s after the program's start, and a copy of it went on: "
        "which lines ran in the %.1f s before that is missing%s.",
        checkpoint->killed_s - checkpoint->start_s, checkpoint->killed_s - checkpoint->last_s,
        collector_has_ended(checkpoint->plan.collector) ? "" : ", and so is how the program ended");
}

// An older one stays if this one cannot be written: nobody could be told now.
static void write_now(const struct checkpoint *checkpoint)
{
    struct profile *profile = checkpoint->plan.make(checkpoint->plan.context);
    struct error err;
    add_note(checkpoint, profile);
    profile_save_packed(profile, checkpoint->path, &err);
    profile_free(profile);
}

// By a limit on the copy's files, since a full file system would be noticed by the program first.
static void leave_room(const struct checkpoint *checkpoint)
{
    struct statvfs fs;
    if (statvfs(checkpoint->plan.run_dir, &fs) == 0) {
        rlim_t room = (rlim_t)fs.f_bavail * fs.f_frsize / SHARE_OF_FREE;
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){room, room});
    }
}

static int open_process(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

static void await_end_of(pid_t original)
{
    struct pollfd waited = {.fd = open_process(original), .events = POLLIN};
    while (getppid() == original) {
        poll(&waited, 1, waited.fd >= 0 ? -1 : 1000);
    }
}

static bool has_ended(pid_t pid, struct pollfd *waited)
{
    return waited->fd >= 0 ? poll(waited, 1, 0) > 0 : kill(pid, 0) != 0;
}

static void take_over(struct checkpoint *checkpoint)
{
    pid_t root = checkpoint->plan.root_pid;
    struct pollfd waited = {.fd = open_process(root), .events = POLLIN};
    struct collector *collector = checkpoint->plan.collector;
    bool is_over = false;
    checkpoint->killed_s = clock_s(CLOCK_MONOTONIC);
    checkpoint->next_s = checkpoint->killed_s;
    collector_take_over(collector);
    while (!is_over) {
        bool has_root_ended = has_ended(root, &waited); // asked before the last look
        unsigned pause_ms = collector_drain(collector);
        is_over = has_root_ended && !(checkpoint->plan.waits_for_children &&
                                      collector_running(collector, NULL, 0) > 0);
        double now_s = clock_s(CLOCK_MONOTONIC);
        if (is_over || now_s >= checkpoint->next_s) {
            write_now(checkpoint);
            checkpoint->next_s = now_s + INTERVAL_S;
        } else {
            poll(&waited, has_root_ended ? 0 : 1, (int)pause_ms);
        }
    }
}

static void write_and_stand_by(void *context)
{
    struct checkpoint *checkpoint = context;
    leave_room(checkpoint);
    write_now(checkpoint);
    checkpoint->news->cpu_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    atomic_store(&checkpoint->news->is_written, true);
    await_end_of(checkpoint->original);
    take_over(checkpoint);
}

// Whether the last copy has done its work, or can do no more.
static bool is_free(struct checkpoint *checkpoint)
{
    return atomic_load(&checkpoint->news->is_written) || copy_has_ended(&checkpoint->copy);
}

static void make(struct checkpoint *checkpoint, double now_s)
{
    double last_cost_s = checkpoint->news->cpu_s;
    copy_kill(&checkpoint->copy);
    collector_add_own_cpu(checkpoint->plan.collector, checkpoint->copy.cpu_s);
    checkpoint->copy.cpu_s = 0;
    checkpoint->last_s = now_s;
    *checkpoint->news = (struct checkpoint_news){0};
    if (!copy_start(&checkpoint->copy, write_and_stand_by, checkpoint)) {
        write_now(checkpoint);
    }
    checkpoint->step_s = fmin(INTERVAL_S, 2 * checkpoint->step_s);
    checkpoint->next_s = now_s + fmax(checkpoint->step_s, last_cost_s * COST_PART);
}

double checkpoint_tick(struct checkpoint *checkpoint)
{
    if (!checkpoint->news) {
        return INFINITY;
    }
    double now_s = clock_s(CLOCK_MONOTONIC);
    if (now_s >= checkpoint->next_s) {
        if (is_free(checkpoint)) {
            make(checkpoint, now_s);
        } else {
            checkpoint->next_s = now_s + RETRY_S;
        }
    }
    return checkpoint->next_s - now_s;
}

// A copy that is about to put its file there must not come after us.
void checkpoint_renew(struct checkpoint *checkpoint)
{
    if (checkpoint->news) {
        copy_kill(&checkpoint->copy);
        unlink(checkpoint->path);
        checkpoint->next_s = clock_s(CLOCK_MONOTONIC);
    }
}

void checkpoint_close(struct checkpoint *checkpoint)
{
    if (!checkpoint->path) {
        return;
    }
    copy_kill(&checkpoint->copy);
    collector_add_own_cpu(checkpoint->plan.collector, checkpoint->copy.cpu_s);
    free(checkpoint->path);
    if (checkpoint->news) {
        munmap(checkpoint->news, sizeof *checkpoint->news);
    }
    *checkpoint = (struct checkpoint){0};
}
