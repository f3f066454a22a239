// SPDX-License-Identifier: Apache-2.0
#include "collect/gpu_watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "accel/reader.h"
#include "accel/source.h"
#include "base/mem.h"
#include "collect/gpu_credit.h"

#define LOOK_GAP_S    0.02
#define DEVICE_MAX    256u
#define NOTE_MAX      32u
#define SILENCE_S     5.0 // after which a driver is said to hang
#define READINGS_FEW  10u // of too few a percentage says little
#define NS_PER_S      1e9
#define PROCESSES_MAX 512u
#define SOURCES_MAX   16u

struct device {
    struct message about;
    struct gpu_curve curve;
    uint64_t reading_count;
    uint64_t failure_count;
    enum message_scope scope; // the widest of all readings
    enum message_scope memory_scope;
    enum message_others others;
};

struct gpu_watch {
    struct reader reader;
    struct gpu_credit credit;
    struct device *devices;
    size_t count;
    size_t capacity;
    int pids[PROCESSES_MAX]; // that run
    size_t pid_count;
    uint32_t lost[SOURCES_MAX]; // messages of each source, as it says
    char *notes[NOTE_MAX];
    size_t note_count;
    double look_s;
    double started_s; // when reading was begun; 0: it was not
    double alive_s;   // when all drivers had last answered; 0: they never have
    double heard_s;   // when what was read was last taken
};

struct gpu_watch *gpu_watch_new(void)
{
    struct gpu_watch *watch = mem_alloc(sizeof *watch);
    reader_init(&watch->reader);
    return watch;
}

void gpu_watch_free(struct gpu_watch *watch)
{
    if (!watch) {
        return;
    }
    reader_close(&watch->reader);
    gpu_credit_clear(&watch->credit);
    for (size_t i = 0; i < watch->count; i++) {
        gpu_curve_clear(&watch->devices[i].curve);
    }
    for (size_t i = 0; i < watch->note_count; i++) {
        free(watch->notes[i]);
    }
    free(watch->devices);
    free(watch);
}

static void add_note(struct gpu_watch *watch, const char *text)
{
    if (watch->note_count < NOTE_MAX) {
        watch->notes[watch->note_count++] = mem_copy_text(text);
    }
}

static void add_device(struct gpu_watch *watch, const struct message *message)
{
    if (message->device != watch->count || watch->count == DEVICE_MAX) {
        return;
    }
    watch->devices =
        mem_grow(watch->devices, watch->count, &watch->capacity, sizeof *watch->devices);
    watch->devices[watch->count++] = (struct device){.about = *message};
}

static double run_s(const struct fold *fold, double clock_s)
{
    return fold_seconds(fold, (uint64_t)fmax(0, clock_s * NS_PER_S));
}

// Of several scopes the widest is told: a figure that was once the whole device's is not ours.
static void widen(enum message_scope *scope, uint32_t seen)
{
    bool is_wider = seen != MESSAGE_SCOPE_NONE && (*scope == MESSAGE_SCOPE_NONE || seen < *scope);
    *scope = is_wider ? (enum message_scope)seen : *scope;
}

static void take_reading(struct gpu_watch *watch, const struct fold *fold,
                         const struct message *message)
{
    if (message->device >= watch->count) {
        return;
    }
    struct device *device = &watch->devices[message->device];
    if (message->type == MESSAGE_FAILURE) {
        device->failure_count++;
        return;
    }
    device->reading_count++;
    widen(&device->scope, message->scope);
    widen(&device->memory_scope, message->memory_scope);
    if (message->others > device->others && message->others <= MESSAGE_OTHERS_PRESENT) {
        device->others = (enum message_others)message->others;
    }
    gpu_curve_add(&device->curve, run_s(fold, message->begin_s), run_s(fold, message->end_s),
                  message->busy, message->memory_mb);
}

// What was still under way of a process that has ended is late: its lines have got theirs.
static bool is_running(const struct gpu_watch *watch, int pid)
{
    for (size_t i = 0; i < watch->pid_count; i++) {
        if (watch->pids[i] == pid) {
            return true;
        }
    }
    return false;
}

static void take_process(struct gpu_watch *watch, const struct fold *fold,
                         const struct message *message)
{
    if (is_running(watch, message->pid)) {
        gpu_credit_read(&watch->credit, message->pid,
                        &(struct gpu_point){.begin_s = run_s(fold, message->begin_s),
                                            .end_s = run_s(fold, message->end_s),
                                            .busy = message->busy,
                                            .memory_mb = message->memory_mb});
    }
}

static double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / NS_PER_S;
}

static void take(struct gpu_watch *watch, const struct fold *fold, struct message *message)
{
    message->vendor[MESSAGE_VENDOR_SIZE - 1] = '\0';
    message->name[MESSAGE_NAME_SIZE - 1] = '\0';
    message->id[MESSAGE_ID_SIZE - 1] = '\0';
    message->text[MESSAGE_TEXT_SIZE - 1] = '\0';
    if (message->source < SOURCES_MAX) {
        watch->lost[message->source] = message->lost;
    }
    switch (message->type) {
    case MESSAGE_DEVICE:
        add_device(watch, message);
        break;
    case MESSAGE_READING:
    case MESSAGE_FAILURE:
        take_reading(watch, fold, message);
        break;
    case MESSAGE_PROCESS:
        take_process(watch, fold, message);
        break;
    case MESSAGE_NOTE:
        add_note(watch, message->text);
        break;
    case MESSAGE_ALIVE:
        watch->alive_s = clock_s();
        break;
    default:
        break;
    }
}

static void take_all(struct gpu_watch *watch, struct fold *fold)
{
    struct message message;
    bool has_news = false;
    watch->heard_s = clock_s();
    while (reader_next(&watch->reader, &message)) {
        take(watch, fold, &message);
        has_news = true;
    }
    if (has_news) {
        gpu_credit_settle(&watch->credit, fold->tally);
    }
}

void gpu_watch_look(struct gpu_watch *watch, struct fold *fold, struct process *const *processes,
                    size_t count)
{
    double now_s = clock_s();
    if (now_s < watch->look_s) {
        return;
    }
    watch->look_s = now_s + LOOK_GAP_S;
    watch->pid_count = 0;
    for (size_t i = 0; i < count && watch->pid_count < PROCESSES_MAX; i++) {
        if (!processes[i]->is_gone) {
            watch->pids[watch->pid_count++] = processes[i]->pid;
        }
    }
    reader_tick(&watch->reader, watch->pids, watch->pid_count);
    watch->started_s = watch->started_s <= 0 && watch->reader.pid ? now_s : watch->started_s;
    take_all(watch, fold);
}

void gpu_watch_credit(struct gpu_watch *watch, struct tally *tally,
                      const struct gpu_stretch *stretch)
{
    gpu_credit_add(&watch->credit, tally, stretch);
}

void gpu_watch_end(struct gpu_watch *watch, struct fold *fold, int pid)
{
    take_all(watch, fold);
    gpu_credit_end(&watch->credit, fold->tally, pid);
    for (size_t i = 0; i < watch->pid_count; i++) {
        watch->pids[i] = watch->pids[i] == pid ? 0 : watch->pids[i];
    }
}

double gpu_watch_cpu_s(const struct gpu_watch *watch)
{
    if (!watch || !watch->reader.pid) {
        return watch ? watch->reader.cpu_s : 0;
    }
    clockid_t clock = (clockid_t)((~(unsigned)watch->reader.pid << 3) | 2);
    struct timespec time = {0};
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / NS_PER_S;
}

void gpu_watch_take_over(struct gpu_watch *watch)
{
    if (watch) {
        reader_close(&watch->reader);
    }
}

static const char *const scope_names[] = {
    [MESSAGE_SCOPE_NONE] = "none",
    [MESSAGE_SCOPE_DEVICE] = "device",
    [MESSAGE_SCOPE_PROCESS] = "process",
};

static void fill_points(const struct gpu_curve *curve, struct profile_gpu_device *out)
{
    size_t step = (curve->count + PROFILE_GPU_POINTS_MAX - 1) / PROFILE_GPU_POINTS_MAX;
    for (size_t i = 0; i < curve->count; i += step) {
        size_t last = i + step < curve->count ? i + step - 1 : curve->count - 1;
        struct profile_gpu part =
            gpu_curve_between(curve, curve->points[i].begin_s, curve->points[last].end_s);
        out->points =
            mem_grow(out->points, out->point_count, &out->point_capacity, sizeof *out->points);
        out->points[out->point_count++] = (struct profile_gpu_point){
            .t_s = fmax(0, curve->points[last].end_s),
            .busy_percent = profile_gpu_percent(&part),
            .memory_mb = part.peak_mb,
        };
    }
}

static void fill_device(const struct device *device, struct profile *profile)
{
    const struct message *about = &device->about;
    struct profile_gpu_device *out =
        profile_gpus_add(&profile->gpus, about->vendor, about->name, about->id);
    struct profile_gpu all = gpu_curve_between(&device->curve, -INFINITY, INFINITY);
    out->scope = scope_names[device->scope];
    out->memory_scope = scope_names[device->memory_scope];
    out->method =
        about->source < source_count ? mem_copy_text(source_list[about->source]->method) : NULL;
    out->knows_others = device->others != MESSAGE_OTHERS_UNKNOWN;
    out->has_others = device->others == MESSAGE_OTHERS_PRESENT;
    out->total_mb = about->total_mb;
    out->busy_s = all.busy_s;
    out->seen_s = all.seen_s;
    out->memory_mb_s = all.memory_mb_s;
    out->peak_mb = all.peak_mb;
    out->reading_count = device->reading_count;
    out->failure_count = device->failure_count;
    fill_points(&device->curve, out);
    profile->gpus.is_used |= device->reading_count > 0;
    profile->gpus.is_device_wide |= device->scope == MESSAGE_SCOPE_DEVICE;
    if (device->reading_count > 0 && device->reading_count < READINGS_FEW) {
        profile_note(profile,
                     "%s was read %llu times only, which is too short for its percentages to mean "
                     "much.",
                     about->name, (unsigned long long)device->reading_count);
    }
}

static void note_lost(const struct gpu_watch *watch, struct profile *profile)
{
    unsigned long long sum = 0;
    for (size_t i = 0; i < SOURCES_MAX; i++) {
        sum += watch->lost[i];
    }
    if (sum > 0) {
        profile_note(profile,
                     "%llu readings of accelerators came faster than they could be taken, "
                     "and are missing.",
                     sum);
    }
}

// A driver that hangs says nothing: whoever waits for it has not come back.
static void note_silence(const struct gpu_watch *watch, struct profile *profile)
{
    double silence_s = watch->heard_s - watch->alive_s;
    if (watch->started_s <= 0 || watch->reader.has_failed) {
        return;
    }
    if (watch->alive_s <= 0) {
        profile_note(profile, "The program uses a GPU or another accelerator whose driver had not "
                              "answered by the end of the run: it was not measured.");
    } else if (silence_s > SILENCE_S) {
        profile_note(profile,
                     "In the last %.0f s no driver of a GPU or another accelerator "
                     "answered: they were not measured.",
                     silence_s);
    }
}

void gpu_watch_fill(const struct gpu_watch *watch, struct profile *profile)
{
    bool has_other = false;
    for (size_t i = 0; i < watch->count; i++) {
        fill_device(&watch->devices[i], profile);
        has_other |= strcmp(watch->devices[i].about.vendor, "AWS") != 0;
    }
    profile->gpus.is_neuron = watch->count > 0 && !has_other;
    for (size_t i = 0; i < watch->note_count; i++) {
        profile_note(profile, "%s", watch->notes[i]);
    }
    if (profile->gpus.is_device_wide) {
        profile_note(profile, "GPU percentages are of the whole device, with all processes that "
                              "used it: its driver does not tell them apart here.");
    }
    note_silence(watch, profile);
    note_lost(watch, profile);
    if (watch->reader.has_failed) {
        profile_note(profile, "The process that reads GPUs ended by itself, as when a driver "
                              "crashes: from then on they were not measured.");
    }
}
