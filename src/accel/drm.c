// SPDX-License-Identifier: Apache-2.0

// Intel's and all other GPUs whose driver tells the DRM what each client used; not AMD's, which
// has figures besides (amd.c). Exact, and of the program's processes alone.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accel/amd_card.h"
#include "accel/engine_time.h"
#include "accel/pace.h"
#include "accel/source.h"
#include "base/mem.h"

#define PERIOD_S      0.1
#define SLOW_PERIOD_S 1.0 // a look at xe's counters wakes the device
#define DEVICE_MAX    16u
#define MUTE_PASSES   3 // in a row: a descriptor may have been closed while it was looked at

struct device {
    char id[32];
    uint32_t number;
    double busy; // of this pass
    double memory_mb;
    bool is_used;
    bool has_engines; // some client told of the work done
};

struct drm {
    struct device devices[DEVICE_MAX];
    size_t count;
    struct engine_time engines;
    struct pace pace;
    uint64_t other_nodes; // as the bits of struct use: another source's
    int mute_passes;      // in a row, in which a device told of no client
};

// What one process has, while its clients are visited.
struct visit {
    struct drm *drm;
    struct source_out *out;
    int pid;
    struct source_reading readings[DEVICE_MAX];
    bool is_open[DEVICE_MAX];
    bool has_engines[DEVICE_MAX];
};

static const struct {
    const char *driver;
    const char *vendor;
} vendors[] = {
    {"i915", "Intel"},  {"xe", "Intel"},        {"nouveau", "NVIDIA"},     {"panfrost", "Arm"},
    {"panthor", "Arm"}, {"msm", "Qualcomm"},    {"v3d", "Broadcom"},       {"vc4", "Broadcom"},
    {"asahi", "Apple"}, {"etnaviv", "Vivante"}, {"virtio_gpu", "virtual"},
};

static const char *vendor_of(const char *driver)
{
    for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++) {
        if (strcmp(driver, vendors[i].driver) == 0) {
            return vendors[i].vendor;
        }
    }
    return driver;
}

static bool is_for(const struct use *use)
{
    return use->render != 0;
}

static void *open_drm(struct source_out *out)
{
    (void)out;
    struct drm *drm = mem_alloc(sizeof *drm);
    struct amd_card cards[AMD_CARD_MAX];
    size_t count = amd_card_find(cards);
    for (size_t i = 0; i < count; i++) {
        drm->other_nodes |= cards[i].render;
    }
    drm->pace.period_s = PERIOD_S;
    return drm;
}

static void close_drm(void *state)
{
    struct drm *drm = state;
    engine_time_clear(&drm->engines);
    free(drm);
}

static size_t find_device(struct visit *visit, const struct fdinfo_client *client)
{
    struct drm *drm = visit->drm;
    const char *id = client->device[0] ? client->device : client->driver;
    size_t i = 0;
    while (i < drm->count && strcmp(drm->devices[i].id, id) != 0) {
        i++;
    }
    if (i == drm->count && i < DEVICE_MAX) {
        struct source_device told = {.total_mb = 0};
        snprintf(told.vendor, sizeof told.vendor, "%.15s", vendor_of(client->driver));
        snprintf(told.name, sizeof told.name, "%s GPU (%s)", told.vendor, client->driver);
        snprintf(told.id, sizeof told.id, "%s", client->device);
        snprintf(drm->devices[i].id, sizeof drm->devices[i].id, "%.31s", id);
        drm->devices[i].number = source_tell_device(visit->out, &told);
        drm->count++;
    }
    return i;
}

static void take_client(void *context, const struct fdinfo_client *client)
{
    struct visit *visit = context;
    if (strcmp(client->driver, "amdgpu") == 0) {
        return;
    }
    if (strcmp(client->driver, "xe") == 0) {
        visit->drm->pace.period_s = SLOW_PERIOD_S;
    }
    size_t index = find_device(visit, client);
    if (index == DEVICE_MAX) {
        return;
    }
    struct source_reading *sum = &visit->readings[index];
    double busy = engine_time_busy(&visit->drm->engines, visit->pid, client, visit->out->end_s);
    visit->is_open[index] = true;
    visit->has_engines[index] |= client->engine_count > 0;
    sum->busy += fmax(0, busy);
    sum->memory_mb += client->memory.device_mb + client->memory.system_mb;
}

static void add_device(struct device *device, struct source_reading *reading, bool has_engines,
                       struct source_process *process)
{
    reading->scope = MESSAGE_SCOPE_PROCESS;
    reading->memory_scope = MESSAGE_SCOPE_PROCESS;
    device->is_used = true;
    device->has_engines |= has_engines;
    device->busy += reading->busy;
    device->memory_mb += reading->memory_mb;
    reading->busy = has_engines ? reading->busy : -1;
    source_process_add(process, reading);
}

// Returns the devices that told nothing of this process.
static uint64_t add_process(struct drm *drm, struct source_out *out, struct source_process *process)
{
    struct visit visit = {.drm = drm, .out = out, .pid = process->pid};
    uint64_t mute = fdinfo_visit(process->pid, take_client, &visit);
    for (size_t i = 0; i < drm->count; i++) {
        if (visit.is_open[i]) {
            add_device(&drm->devices[i], &visit.readings[i], visit.has_engines[i], process);
        }
    }
    return process->use.nvidia == 0 ? mute & ~drm->other_nodes : 0;
}

static void note_mute(struct drm *drm, bool is_mute, struct source_out *out)
{
    drm->mute_passes = is_mute ? drm->mute_passes + 1 : 0;
    if (drm->mute_passes == MUTE_PASSES) {
        source_note(out, "The program has a GPU of /dev/dri open, which was not measured: its "
                         "driver tells nothing of who uses it (no fdinfo).");
    }
}

static void tell_device(const struct device *device, struct source_out *out)
{
    source_tell_reading(out, device->number,
                        &(struct source_reading){.busy = device->has_engines ? device->busy : -1,
                                                 .memory_mb = device->memory_mb,
                                                 .scope = MESSAGE_SCOPE_PROCESS,
                                                 .memory_scope = MESSAGE_SCOPE_PROCESS});
    if (!device->has_engines) {
        source_note(out,
                    "How busy the GPU %s was could not be measured: its driver tells of memory "
                    "only.",
                    device->id);
    }
}

static void tell_devices(const struct drm *drm, struct source_out *out)
{
    for (size_t i = 0; i < drm->count; i++) {
        if (drm->devices[i].is_used) {
            tell_device(&drm->devices[i], out);
        }
    }
}

static bool sample_drm(void *state, struct source_out *out, struct source_process *processes,
                       size_t count)
{
    struct drm *drm = state;
    double now_s = out->end_s;
    uint64_t mute = 0;
    if (!pace_is_due(&drm->pace, now_s)) {
        return true;
    }
    for (size_t i = 0; i < DEVICE_MAX; i++) {
        drm->devices[i].busy = 0;
        drm->devices[i].memory_mb = 0;
        drm->devices[i].is_used = false;
        drm->devices[i].has_engines = false;
    }
    // The counters tell of just the time since they were last compared.
    out->begin_s = drm->engines.kept_s > 0 ? drm->engines.kept_s : now_s;
    for (size_t i = 0; i < count; i++) {
        if (is_for(&processes[i].use)) {
            mute |= add_process(drm, out, &processes[i]);
        }
    }
    note_mute(drm, mute != 0, out);
    double end_s = pace_now_s();
    if (engine_time_keep(&drm->engines, now_s, end_s)) {
        tell_devices(drm, out);
    } else {
        for (size_t i = 0; i < count; i++) {
            source_process_forget(&processes[i]);
        }
    }
    pace_done(&drm->pace, now_s, end_s - now_s);
    return true;
}

const struct source source_drm = {
    .name = "drm",
    .method = "fdinfo",
    .period_s = PERIOD_S,
    .is_for = is_for,
    .open = open_drm,
    .sample = sample_drm,
    .close = close_drm,
};
