// SPDX-License-Identifier: Apache-2.0

// AMD, by the kernel's files alone. What draws is in the DRM's account of each client, exactly;
// compute (ROCm, HIP) goes past it through queues of its own, and how busy it kept a device only
// the device's counter tells, of all processes. Memory is known by process in both cases.

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accel/amd_card.h"
#include "accel/engine_time.h"
#include "accel/pace.h"
#include "accel/source.h"
#include "base/mem.h"

#define PERIOD_S    0.1
#define REFUSED_MAX 3    // readings in a row, after which something is said
#define USED_PART   0.01 // of the memory that a process has where it has most: less is no use

struct amd {
    struct amd_card cards[AMD_CARD_MAX];
    uint32_t numbers[AMD_CARD_MAX];
    bool is_told[AMD_CARD_MAX];
    int refusals[AMD_CARD_MAX]; // in a row, to say how busy it is
    int reasons[AMD_CARD_MAX];  // errno
    size_t count;
    struct engine_time engines;
    struct pace pace;
};

// What a process's clients add up to, card by card.
struct visit {
    struct amd *amd;
    int pid;
    double now_s;
    double busy[AMD_CARD_MAX];
    double memory_mb[AMD_CARD_MAX];
    bool has_client[AMD_CARD_MAX];
    bool is_open[AMD_CARD_MAX];
};

static bool is_for(const struct use *use)
{
    return use->render != 0 || use->has_kfd;
}

static void *open_amd(struct source_out *out)
{
    struct amd *amd = mem_alloc(sizeof *amd);
    amd->count = amd_card_find(amd->cards);
    (void)out;
    amd->pace.period_s = PERIOD_S;
    return amd;
}

static void close_amd(void *state)
{
    struct amd *amd = state;
    engine_time_clear(&amd->engines);
    free(amd);
}

static void take_client(void *context, const struct fdinfo_client *client)
{
    struct visit *visit = context;
    for (size_t i = 0; i < visit->amd->count; i++) {
        if (strcmp(visit->amd->cards[i].address, client->device) == 0) {
            double busy = engine_time_busy(&visit->amd->engines, visit->pid, client, visit->now_s);
            visit->has_client[i] = true;
            visit->busy[i] += fmax(0, busy);
            visit->memory_mb[i] += client->memory.device_mb;
        }
    }
}

// Of the device, with what refuses it.
static double device_busy(struct amd *amd, size_t index)
{
    double busy = -1;
    if (amd_card_busy(&amd->cards[index], &busy)) {
        amd->refusals[index] = 0;
    } else {
        amd->reasons[index] = errno;
        amd->refusals[index]++;
    }
    return busy;
}

static struct source_reading reading_of(const struct visit *visit, size_t index,
                                        const struct source_process *process)
{
    const struct amd_card *card = &visit->amd->cards[index];
    struct source_reading reading = {.busy = visit->busy[index],
                                     .memory_mb = visit->memory_mb[index],
                                     .scope = MESSAGE_SCOPE_PROCESS,
                                     .memory_scope = MESSAGE_SCOPE_PROCESS};
    double compute_mb = 0;
    if (process->use.has_kfd || !visit->has_client[index]) {
        reading.scope = MESSAGE_SCOPE_DEVICE;
        reading.busy = device_busy(visit->amd, index);
    }
    if (amd_card_process_mb(card, process->pid, &compute_mb)) {
        reading.memory_mb = fmax(reading.memory_mb, compute_mb);
    } else if (!visit->has_client[index]) {
        reading.memory_scope = MESSAGE_SCOPE_DEVICE;
        reading.memory_mb = amd_card_used_mb(card, &reading.memory_mb) ? reading.memory_mb : -1;
    }
    return reading;
}

static bool is_open(const struct amd_card *card, const struct source_process *process)
{
    double used_mb;
    return (process->use.render & card->render) != 0 ||
           (process->use.has_kfd && amd_card_process_mb(card, process->pid, &used_mb));
}

static void tell(struct amd *amd, size_t index, struct source_out *out)
{
    const struct amd_card *card = &amd->cards[index];
    struct source_device told = {.vendor = "AMD", .total_mb = card->total_mb};
    snprintf(told.name, sizeof told.name, "AMD GPU %d", card->card);
    snprintf(told.id, sizeof told.id, "%s", card->address);
    amd->numbers[index] = source_tell_device(out, &told);
    amd->is_told[index] = true;
}

static void add_to(struct source_reading *sum, const struct source_reading *part, bool is_first)
{
    if (is_first) {
        *sum = *part;
        return;
    }
    sum->busy += part->scope == MESSAGE_SCOPE_PROCESS ? fmax(0, part->busy) : 0;
    sum->memory_mb += part->memory_scope == MESSAGE_SCOPE_PROCESS ? fmax(0, part->memory_mb) : 0;
}

// What all processes found of a card in one pass.
struct sums {
    struct source_reading readings[AMD_CARD_MAX];
    bool is_used[AMD_CARD_MAX];
    bool has_clients; // some of it was told by counters of clients
};

// The compute runtime opens every card that there is: those on which a process has next to nothing
// are not its own.
static bool is_unused(const struct source_reading *reading, double most_mb,
                      const struct source_process *process)
{
    return process->use.has_kfd && reading->memory_scope == MESSAGE_SCOPE_PROCESS &&
           reading->memory_mb < USED_PART * most_mb;
}

static void add_process(struct amd *amd, struct sums *sums, double now_s,
                        struct source_process *process)
{
    struct visit visit = {.amd = amd, .pid = process->pid, .now_s = now_s};
    struct source_reading readings[AMD_CARD_MAX];
    double most_mb = 0;
    fdinfo_visit(process->pid, take_client, &visit);
    for (size_t i = 0; i < amd->count; i++) {
        sums->has_clients |= visit.has_client[i];
        if (is_open(&amd->cards[i], process)) {
            readings[i] = reading_of(&visit, i, process);
            most_mb = fmax(most_mb, readings[i].memory_mb);
            visit.is_open[i] = true;
        }
    }
    for (size_t i = 0; i < amd->count; i++) {
        if (visit.is_open[i] && !is_unused(&readings[i], most_mb, process)) {
            source_process_add(process, &readings[i]);
            add_to(&sums->readings[i], &readings[i], !sums->is_used[i]);
            sums->is_used[i] = true;
        }
    }
}

static void note_refusal(const struct amd *amd, size_t index, struct source_out *out)
{
    if (amd->refusals[index] >= REFUSED_MAX) {
        source_note(out, "How busy AMD GPU %d was could not be measured all the time: %s.",
                    amd->cards[index].card, strerror(amd->reasons[index]));
    }
}

// Returns whether one is missed.
static bool note_no_card(const struct source_process *processes, size_t count,
                         struct source_out *out)
{
    for (size_t i = 0; i < count; i++) {
        if (processes[i].use.has_kfd) {
            source_note(out, "The program uses AMD's compute driver, which was not measured: "
                             "/sys/class/drm shows no card of AMD's.");
            return true;
        }
    }
    return false;
}

static void tell_cards(struct amd *amd, const struct sums *sums, struct source_out *out)
{
    for (size_t i = 0; i < amd->count; i++) {
        if (sums->is_used[i] && !amd->is_told[i]) {
            tell(amd, i, out);
        }
        if (sums->is_used[i] && sums->readings[i].busy < 0 && sums->readings[i].memory_mb < 0) {
            source_tell_failure(out, amd->numbers[i]);
        } else if (sums->is_used[i]) {
            source_tell_reading(out, amd->numbers[i], &sums->readings[i]);
        }
        note_refusal(amd, i, out);
    }
}

static bool sample_amd(void *state, struct source_out *out, struct source_process *processes,
                       size_t count)
{
    struct amd *amd = state;
    struct sums sums = {0};
    double kept_s = amd->engines.kept_s;
    if (amd->count == 0) {
        return !note_no_card(processes, count, out);
    }
    if (!pace_is_due(&amd->pace, out->end_s)) {
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        if (is_for(&processes[i].use)) {
            add_process(amd, &sums, out->end_s, &processes[i]);
        }
    }
    double end_s = pace_now_s();
    bool is_kept = engine_time_keep(&amd->engines, out->end_s, end_s);
    pace_done(&amd->pace, out->end_s, end_s - out->end_s);
    if (sums.has_clients && !is_kept) {
        for (size_t i = 0; i < count; i++) {
            source_process_forget(&processes[i]);
        }
        return true;
    }
    if (sums.has_clients) {
        out->begin_s = kept_s > 0 ? kept_s : out->end_s;
    }
    tell_cards(amd, &sums, out);
    return true;
}

const struct source source_amd = {
    .name = "amd",
    .method = "sysfs, fdinfo, kfd",
    .period_s = PERIOD_S,
    .is_for = is_for,
    .open = open_amd,
    .sample = sample_amd,
    .close = close_amd,
};
