// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/frames.h"

#include "agent/cpython/codes.h"
#include "agent/cpython/interpreter.h"
#include "agent/cpython/library_name.h"
#include "agent/cpython/opcodes.h"
#include "agent/probe.h"

#define WALK_MAX 4096 // a broken chain may be a circle
#define OWN_MAX  32   // from a library to who called it

// 3.11 and 3.12 enter the evaluation loop by making a new cframe the current one a few
// instructions before its frame is set: the one outside is then still right.
static uintptr_t first_frame(const struct layout *layout, struct probe *probe, uintptr_t state,
                             uintptr_t *mark)
{
    *mark = layout->state_cframe < 0 ? 0 : probe_word(probe, state + layout->state_cframe);
    if (layout->state_frame >= 0) {
        return probe_word(probe, state + layout->state_frame);
    }
    uintptr_t cframe = *mark;
    uintptr_t frame = probe_word(probe, cframe + layout->cframe_frame);
    if (codes_is_code(probe, probe_word(probe, frame + layout->frame_code))) {
        return frame;
    }
    cframe = probe_word(probe, cframe + layout->cframe_previous);
    return cframe ? probe_word(probe, cframe + layout->cframe_frame) : 0;
}

static int32_t instruction_offset(const struct layout *layout, uintptr_t frame, uintptr_t code)
{
    if (layout->instruction_kind == INSTRUCTION_POINTER) {
        uintptr_t at = probe_seen_word(frame + layout->frame_instruction);
        return (int32_t)(at - (code + layout->code_instructions));
    }
    int32_t index = probe_seen_int(frame + layout->frame_instruction);
    return layout->instruction_kind == INSTRUCTION_UNITS && index >= 0 ? 2 * index : index;
}

static bool is_call(const struct layout *layout, uintptr_t frame)
{
    return layout->minor < 12 ||
           probe_seen_byte(frame + layout->frame_owner) < LAYOUT_OWNER_NOT_A_CALL;
}

static enum opcode_class opcode_class(struct probe *probe, uintptr_t code, int32_t offset)
{
    const struct layout *layout = &interpreter.layout;
    uintptr_t instructions = code + (uintptr_t)layout->code_instructions;
    if (layout->code_instructions < 0) {
        instructions = probe_word(probe, code + (uintptr_t)layout->code_bytes);
        instructions = instructions ? instructions + (uintptr_t)layout->bytes_data : 0;
    }
    uint8_t opcode;
    if (offset < 0 || !probe_copy(probe, &opcode, instructions + (uintptr_t)offset, 1)) {
        return OPCODE_UNKNOWN;
    }
    return opcodes_class(layout->minor, opcode);
}

static void add_frame(struct frames *frames, struct ring *ring, struct probe *probe,
                      uintptr_t frame, uintptr_t code)
{
    if (frames->count == RECORD_FRAME_MAX) {
        frames->flags |= SAMPLE_IS_DEEP;
        return;
    }
    int32_t offset = instruction_offset(&interpreter.layout, frame, code);
    if (frames->count == 0) {
        frames->opcode_class = opcode_class(probe, code, offset);
    }
    frames->list[frames->count++] = (struct record_frame){codes_id(ring, probe, code), offset};
}

static void walk(struct frames *frames, struct ring *ring, struct probe *probe, uintptr_t frame)
{
    const struct layout *layout = &interpreter.layout;
    uintptr_t outermost = 0;
    for (int steps = 0; frame != 0; steps++) {
        if (steps == WALK_MAX || frames->flags & SAMPLE_IS_DEEP) {
            frames->flags |= SAMPLE_IS_DEEP;
            return;
        }
        if (!probe_is_readable(probe, frame, interpreter.frame_extent)) {
            frames->flags |= SAMPLE_IS_TRUNCATED;
            return;
        }
        uintptr_t code = probe_seen_word(frame + layout->frame_code) & ~(uintptr_t)3;
        if (!is_call(layout, frame)) {
            // This frame lives in the evaluation loop's own C frame.
            frames->mark = frames->mark ? frames->mark : frame;
        } else if (codes_is_code(probe, code)) {
            add_frame(frames, ring, probe, frame, code);
            outermost = frame;
        } else if (layout->minor < 12) {
            frames->flags |= SAMPLE_IS_TRUNCATED;
            return;
        }
        frame = probe_seen_word(frame + layout->frame_previous);
    }
    frames->outermost = outermost;
}

// Up to 3.12 patch releases may move the field: what is neither 0 nor 1 is not it.
static bool is_collecting(struct probe *probe, uintptr_t state)
{
    const struct layout *layout = &interpreter.layout;
    uintptr_t base = layout->minor == 8
                         ? interpreter.runtime_start
                         : probe_word(probe, state + (uintptr_t)layout->state_interpreter);
    int collecting = 0;
    probe_copy(probe, &collecting, base + (uintptr_t)layout->gc_collecting, sizeof collecting);
    return collecting == 1;
}

// The new cframe may not even know the one outside yet, which is then in a register, on its way
// there: the next one up the stack that holds a frame.
static uintptr_t frame_outside(const struct layout *layout, struct probe *probe, uintptr_t mark,
                               const ucontext_t *context)
{
    uintptr_t nearest = UINTPTR_MAX;
    uintptr_t found = 0;
    for (int i = REG_R8; i <= REG_RSP; i++) {
        uintptr_t cframe = (uintptr_t)context->uc_mcontext.gregs[i];
        if (cframe <= mark || cframe >= nearest || cframe % sizeof cframe != 0) {
            continue;
        }
        uintptr_t frame = probe_word(probe, cframe + layout->cframe_frame);
        if (codes_is_code(probe, probe_word(probe, frame + layout->frame_code))) {
            nearest = cframe;
            found = frame;
        }
    }
    return found;
}

static void walk_thread(struct frames *frames, struct ring *ring, struct probe *probe)
{
    frames->count = 0;
    frames->flags = 0;
    frames->mark = 0;
    frames->outermost = 0;
    frames->opcode_class = OPCODE_UNKNOWN;
    struct interpreter_thread here = interpreter_thread();
    if (here.state == 0) {
        return;
    }
    frames->flags = SAMPLE_HAS_THREAD | (here.holds_gil ? SAMPLE_HOLDS_GIL : 0u);
    uintptr_t frame = first_frame(&interpreter.layout, probe, here.state, &frames->mark);
    walk(frames, ring, probe, frame);
    if (here.holds_gil && is_collecting(probe, here.state)) {
        frames->flags |= SAMPLE_IN_GC;
    }
}

void frames_walk(struct frames *frames, struct ring *ring)
{
    struct probe probe = {0};
    walk_thread(frames, ring, &probe);
}

void frames_walk_interrupted(struct frames *frames, struct ring *ring, const ucontext_t *context)
{
    const struct layout *layout = &interpreter.layout;
    struct probe probe = {0};
    walk_thread(frames, ring, &probe);
    bool is_broken = frames->flags & SAMPLE_IS_TRUNCATED && frames->count == 0;
    uintptr_t frame = is_broken && layout->cframe_frame >= 0
                          ? frame_outside(layout, &probe, frames->mark, context)
                          : 0;
    if (frame) {
        frames->flags &= ~(unsigned)SAMPLE_IS_TRUNCATED;
        walk(frames, ring, &probe, frame);
    }
}

void frames_walk_at_rest(struct frames *frames, struct ring *ring)
{
    struct probe probe = {.is_at_rest = true};
    walk_thread(frames, ring, &probe);
}

bool frames_find_own(struct record_frame *found, struct ring *ring)
{
    const struct layout *layout = &interpreter.layout;
    struct probe probe = {.is_at_rest = true};
    struct interpreter_thread here = interpreter_thread();
    uintptr_t mark;
    uintptr_t frame = here.state ? first_frame(layout, &probe, here.state, &mark) : 0;
    for (int steps = 0; frame != 0 && steps < OWN_MAX; steps++) {
        if (!probe_is_readable(&probe, frame, interpreter.frame_extent)) {
            return false;
        }
        uintptr_t code = probe_seen_word(frame + layout->frame_code) & ~(uintptr_t)3;
        if (is_call(layout, frame) && codes_is_code(&probe, code) &&
            !library_name_of_code(&probe, code)) {
            *found = (struct record_frame){codes_id(ring, &probe, code),
                                           instruction_offset(layout, frame, code)};
            return true;
        }
        frame = probe_seen_word(frame + layout->frame_previous);
    }
    return false;
}

uint64_t frames_leaf(void)
{
    struct interpreter_thread here = interpreter_thread();
    if (here.state == 0) {
        return 0;
    }
    struct probe probe = {0};
    const struct layout *layout = &interpreter.layout;
    uintptr_t mark;
    uintptr_t frame = first_frame(layout, &probe, here.state, &mark);
    uintptr_t at = 0;
    probe_copy(&probe, &at, frame + layout->frame_instruction, sizeof at);
    return (uint64_t)frame * 31 + at;
}
