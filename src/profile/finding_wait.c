// SPDX-License-Identifier: Apache-2.0
// What the main thread waited for: input and output, children, sleep.

#include <math.h>

#include "profile/amount.h"
#include "profile/finding_scene.h"

#define MAIN_PART   0.30 // of the main thread's life
#define LEAST_S     0.05
#define WORST_LINES 3
#define ALONE_PART  0.01 // of the main thread's waiting: others hardly waited
#define KNOWN_PART  0.5  // of it, that one line accounts for
#define HOW_TIMED   "Each wait was timed from its begin to its end, not sampled."

struct io_kind {
    enum profile_wait kind;
    const char *phrase;
    const char *next_step;
};

static const struct io_kind io_kinds[] = {
    {PROFILE_WAIT_disk, "for the disk", "Read and write more at once, or do it beside other work."},
    {PROFILE_WAIT_network, "for the network",
     "Ask for several things at once (threads, asyncio), or for fewer."},
    {PROFILE_WAIT_pipe, "for pipes", "Look at the program at the other end."},
    {PROFILE_WAIT_child, "for child processes", "Profile what the children do, or start several."},
    {PROFILE_WAIT_sleep, "asleep", "Wait for an event instead of sleeping, or sleep for less."},
};

// The main thread's waiting, of one kind.
struct main_wait {
    const struct io_kind *kind;
    double waited_s;
    double life_s;
    double others_s; // what all other threads waited
};

static bool is_among(const struct profile_line *line, const struct scene_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (lines[i].line == line) {
            return true;
        }
    }
    return false;
}

static double all_of_line(const struct profile_line *line, enum profile_wait kind)
{
    return line->times.wait_s[kind];
}

// A line's waiting is that of all threads, but idle time belongs to lines of the main thread alone.
static double idle_of_line(const struct profile_line *line, enum profile_wait kind)
{
    return fmin(line->times.idle_s, line->times.wait_s[kind]);
}

typedef double weigh_line(const struct profile_line *line, enum profile_wait kind);

// The line that waited longest and is not among those; `line` is NULL if there is none.
static struct scene_line next_worst(const struct scene *scene, enum profile_wait kind,
                                    weigh_line *weigh, const struct scene_line *lines, size_t count)
{
    const struct profile *profile = scene->profile;
    struct scene_line worst = {0};
    double most_s = 0;
    for (size_t i = 0; i < profile->file_count; i++) {
        for (size_t j = 0; j < profile->files[i].line_count; j++) {
            const struct profile_line *line = &profile->files[i].lines[j];
            if (weigh(line, kind) > most_s && !is_among(line, lines, count)) {
                most_s = weigh(line, kind);
                worst = (struct scene_line){line, i};
            }
        }
    }
    return worst;
}

static size_t worst_of(const struct scene *scene, enum profile_wait kind, weigh_line *weigh,
                       struct scene_line worst[WORST_LINES])
{
    size_t count = 0;
    while (count < WORST_LINES) {
        worst[count] = next_worst(scene, kind, weigh, worst, count);
        if (!worst[count].line) {
            break;
        }
        count++;
    }
    return count;
}

// Finds the lines, and says where most of the waiting was: the main thread's if that is known.
static size_t add_lines(struct text *text, const struct scene *scene, const struct main_wait *wait,
                        struct scene_line worst[WORST_LINES])
{
    enum profile_wait kind = wait->kind->kind;
    bool is_alone = wait->others_s < ALONE_PART * wait->waited_s;
    size_t count = worst_of(scene, kind, is_alone ? all_of_line : idle_of_line, worst);
    bool is_known =
        count > 0 && (is_alone || idle_of_line(worst[0].line, kind) >= KNOWN_PART * wait->waited_s);
    if (!is_known) {
        count = worst_of(scene, kind, all_of_line, worst);
    }
    if (count > 0) {
        text_add(text, is_known ? ", most of it at " : "; of all threads, most at ");
        scene_add_place(text, scene, worst[0]);
    }
    return count;
}

static void add_wait(struct scene *scene, const struct main_wait *wait)
{
    struct scene_line worst[WORST_LINES] = {{0}};
    double part = wait->waited_s / wait->life_s;
    struct text text = {0};
    text_format(&text, "The main thread spent %.0f%% of its time (", 100 * part);
    amount_duration(&text, wait->waited_s);
    text_format(&text, ") %s%s", wait->kind->kind == PROFILE_WAIT_sleep ? "" : "waiting ",
                wait->kind->phrase);
    size_t count = add_lines(&text, scene, wait, worst);
    text_add(&text, ".");
    struct finding *finding = finding_add(scene, "io-wait", 0.9 * part, &text);
    finding_evidence(finding, "waiting of the main thread", wait->waited_s, "s", -1);
    finding_evidence(finding, "of its life", 100 * part, "%", -1);
    for (size_t i = 0; i < count; i++) {
        finding_place(finding, scene, worst[i]);
    }
    finding_advice(finding, HOW_TIMED, wait->kind->next_step);
    text_clear(&text);
}

static const struct profile_thread *main_thread(const struct profile *profile)
{
    for (size_t i = 0; i < profile->thread_count; i++) {
        if (profile->threads[i].thread_id == profile->main_thread_id) {
            return &profile->threads[i];
        }
    }
    return NULL;
}

static double others_s(const struct profile *profile, const struct profile_thread *thread,
                       enum profile_wait kind)
{
    double sum_s = 0;
    for (size_t i = 0; i < profile->thread_count; i++) {
        sum_s += &profile->threads[i] == thread ? 0 : profile->threads[i].times.wait_s[kind];
    }
    return sum_s;
}

void finding_wait(struct scene *scene)
{
    const struct profile_thread *thread = main_thread(scene->profile);
    double life_s = thread ? thread->end_s - thread->start_s : 0;
    for (size_t i = 0; i < sizeof io_kinds / sizeof *io_kinds && life_s > 0; i++) {
        enum profile_wait kind = io_kinds[i].kind;
        double waited_s = thread->times.wait_s[kind];
        if (kind == PROFILE_WAIT_network) {
            waited_s = fmax(0, waited_s - scene_loop_idle_s(scene));
        }
        if (waited_s >= LEAST_S && waited_s >= MAIN_PART * life_s) {
            add_wait(scene, &(struct main_wait){&io_kinds[i], waited_s, life_s,
                                                others_s(scene->profile, thread, kind)});
        }
    }
}
