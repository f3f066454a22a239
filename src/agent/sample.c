// SPDX-License-Identifier: Apache-2.0
#include "agent/sample.h"

#include <string.h>

#include "agent/await_work.h"
#include "agent/clock.h"
#include "agent/cpython/frames.h"
#include "agent/native_stack.h"
#include "agent/probe.h"
#include "agent/session.h"
#include "agent/thread.h"

#define STACK_PLAIN_MAX   (8 * 1024)  // of a thread that runs no Python
#define STACK_BLIND_MAX   (16 * 1024) // where nothing tells how far the evaluation loop is
#define STACK_MARK_MARGIN 1024        // the loop's frame may begin a little above its mark
#define RING_HALF_FULL    50

// DWARF's numbering of the x86-64 registers.
static const int dwarf_registers[RECORD_REGISTER_COUNT] = {
    REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
    REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
};

void sample_code_bytes(uintptr_t ip, uint8_t code[4])
{
    struct probe probe = {0};
    memset(code, 0, 4);
    if (!probe_copy(&probe, code, ip - 2, 4)) {
        probe_copy(&probe, code + 2, ip, 2);
    }
}

// What the kernel has charged the thread since its last sample.
static void charge(struct thread *thread, struct record_sample *sample)
{
    struct rusage usage = {0};
    raw_getrusage(RUSAGE_THREAD, &usage);
    uint64_t system = clock_to_us(usage.ru_stime);
    uint64_t user = clock_to_us(usage.ru_utime);
    uint64_t faults = (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
    sample->system_us = (uint32_t)(system - thread->system_us);
    sample->user_us = (uint32_t)(user - thread->user_us);
    sample->faults = (uint32_t)(faults - thread->fault_count);
    uint64_t switches = (uint64_t)usage.ru_nvcsw - thread->switch_count;
    sample->switches = (uint16_t)(switches < UINT16_MAX ? switches : UINT16_MAX);
    thread->switch_count = (uint64_t)usage.ru_nvcsw;
    thread->system_us = system;
    thread->user_us = user;
    thread->fault_count = faults;
}

// The kernel leaves the red zone alone when it puts a signal's frame on the stack.
static uintptr_t stack_start(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP] - RECORD_RED_ZONE;
}

// How much of the native stack the collector needs: as far as the evaluation loop's frame.
static size_t stack_len(const struct thread *thread, uintptr_t start, const struct frames *frames)
{
    size_t limit = frames->count == 0 ? STACK_PLAIN_MAX : STACK_BLIND_MAX;
    if (frames->mark > start && frames->mark - start < (64u << 20)) {
        limit = frames->mark - start + STACK_MARK_MARGIN;
        limit = limit < RECORD_STACK_MAX ? limit : RECORD_STACK_MAX;
    }
    return native_stack_len(thread, start, limit);
}

static void fill_native(struct record_sample *record, const ucontext_t *context)
{
    uint64_t *registers = (uint64_t *)((struct record_frame *)(record + 1) + record->frame_count);
    for (int i = 0; i < RECORD_REGISTER_COUNT; i++) {
        registers[i] = (uint64_t)context->uc_mcontext.gregs[dwarf_registers[i]];
    }
    memcpy(registers + RECORD_REGISTER_COUNT, (const void *)stack_start(context),
           record->stack_len);
}

static void describe(struct record_sample *sample, const ucontext_t *context,
                     const struct frames *frames)
{
    struct thread *thread = &thread_self;
    sample->time_ns = clock_wall_ns();
    sample->tid = thread->tid;
    sample->mark = frames->mark;
    sample->frame_count = (uint16_t)frames->count;
    sample->flags |= (uint16_t)frames->flags;
    sample->opcode_class = (uint8_t)frames->opcode_class;
    sample->chain = await_work_chain();
    if (context) {
        sample->ip = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
        sample_code_bytes(sample->ip, sample->code);
        if (session.has_stacks) {
            sample->stack_len = (uint32_t)stack_len(thread, stack_start(context), frames);
        }
    }
    charge(thread, sample);
}

// Else the thread's time would be spread over the lines that were seen before and after.
static void tell_unseen(struct ring *ring, uint64_t cpu_ns, uint32_t periods)
{
    struct record_sample sample = {
        .time_ns = clock_wall_ns(),
        .cpu_ns = cpu_ns,
        .tid = thread_self.tid,
        .periods = periods,
        .flags = SAMPLE_IS_OFF,
    };
    charge(&thread_self, &sample);
    struct record_sample *record = ring_reserve(ring, RECORD_SAMPLE, sizeof *record);
    if (record) {
        memcpy((char *)record + sizeof record->header, (char *)&sample + sizeof sample.header,
               sizeof sample - sizeof sample.header);
        ring_commit(record);
    }
}

void sample_take(const ucontext_t *context, uint64_t cpu_ns, uint32_t periods, unsigned flags)
{
    struct ring *ring = session_ring();
    if (!ring) {
        return;
    }
    if (!session_is_on()) {
        tell_unseen(ring, cpu_ns, periods);
        return;
    }
    struct frames frames;
    frames_walk_interrupted(&frames, ring, context);
    thread_tell_name(&thread_self, &frames, ring);
    struct record_sample sample = {
        .cpu_ns = cpu_ns - thread_self.origin.cpu_ns,
        .periods = periods,
        .flags = (uint16_t)flags,
    };
    describe(&sample, context, &frames);
    if (sample.stack_len > 0 && ring_fill_percent(ring) > RING_HALF_FULL) {
        sample.stack_len = 0;
        sample.flags |= SAMPLE_COPY_DROPPED;
        ring_count(ring, COUNTER_copies_dropped, 1);
    }
    if (frames.flags & SAMPLE_IS_TRUNCATED) {
        ring_count(ring, COUNTER_stacks_truncated, 1);
    }
    size_t frame_bytes = frames.count * sizeof(struct record_frame);
    size_t native_bytes =
        sample.stack_len ? RECORD_REGISTER_COUNT * sizeof(uint64_t) + sample.stack_len : 0;
    struct record_sample *record =
        ring_reserve(ring, RECORD_SAMPLE, sizeof *record + frame_bytes + native_bytes);
    if (!record) {
        ring_count(ring, COUNTER_dropped_full, 1);
        ring_count(ring, COUNTER_dropped_samples, periods);
        return;
    }
    memcpy((char *)record + sizeof record->header, (char *)&sample + sizeof sample.header,
           sizeof sample - sizeof sample.header);
    memcpy(record + 1, frames.list, frame_bytes);
    if (sample.stack_len) {
        fill_native(record, context);
    }
    ring_commit(record);
}
