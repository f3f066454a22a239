// SPDX-License-Identifier: Apache-2.0
#include "collect/remote_stack.h"

#include <string.h>

#define OFFSET_MAX 1024 // of any field in its structure
#define SPAN_MAX   (OFFSET_MAX + 8)
#define WALK_MAX   1024 // a broken chain may be a circle

struct walk {
    struct remote_memory *memory;
    const struct remote_interpreter *interpreter;
    const struct layout *layout;
};

// The part of a frame that is looked at, copied at once.
struct span {
    uint8_t bytes[SPAN_MAX];
};

static bool has_all(const int *offsets, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (offsets[i] < 0 || offsets[i] > OFFSET_MAX) {
            return false;
        }
    }
    return true;
}

bool remote_stack_accepts(const struct layout *layout)
{
    const int always[] = {
        layout->frame_previous,  layout->frame_code,      layout->frame_instruction,
        layout->code_filename,   layout->code_name,       layout->code_first_line,
        layout->code_line_table, layout->code_flags,      layout->object_type,
        layout->bytes_size,      layout->bytes_data,      layout->text_length,
        layout->text_state,      layout->text_ascii_size, layout->text_compact_size,
    };
    const int by_cframe[] = {layout->state_cframe, layout->cframe_frame, layout->cframe_previous};
    const int by_owner[] = {layout->frame_owner};
    const int by_pointer[] = {layout->code_instructions};
    return has_all(always, sizeof always / sizeof *always) && layout->code_qualname <= OFFSET_MAX &&
           layout->state_thread_id <= OFFSET_MAX && layout->state_frame <= OFFSET_MAX &&
           (layout->state_frame >= 0 || has_all(by_cframe, 3)) &&
           (layout->minor < 12 || has_all(by_owner, 1)) &&
           (layout->instruction_kind != INSTRUCTION_POINTER || has_all(by_pointer, 1));
}

static uint64_t field(const struct walk *walk, uint64_t object, int offset)
{
    return remote_memory_word(walk->memory, object + (uint64_t)offset);
}

static bool is_code(const struct walk *walk, uint64_t object)
{
    return object != 0 && object % 8 == 0 &&
           field(walk, object, walk->layout->object_type) == walk->interpreter->code_type;
}

// 3.11 and 3.12 make a new cframe the current one before its frame is set: the one outside is then
// still right.
static uint64_t first_frame(const struct walk *walk, uint64_t state)
{
    const struct layout *layout = walk->layout;
    if (layout->state_frame >= 0) {
        return field(walk, state, layout->state_frame);
    }
    uint64_t cframe = field(walk, state, layout->state_cframe);
    uint64_t frame = field(walk, cframe, layout->cframe_frame);
    if (is_code(walk, field(walk, frame, layout->frame_code))) {
        return frame;
    }
    cframe = field(walk, cframe, layout->cframe_previous);
    return cframe != 0 ? field(walk, cframe, layout->cframe_frame) : 0;
}

static bool read_span(const struct walk *walk, uint64_t frame, struct span *span)
{
    const struct layout *layout = walk->layout;
    const int fields[] = {layout->frame_previous, layout->frame_code, layout->frame_instruction,
                          layout->minor < 12 ? 0 : layout->frame_owner};
    int last = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        last = fields[i] > last ? fields[i] : last;
    }
    return remote_memory_read(walk->memory, frame, span->bytes, (size_t)last + 8);
}

static uint64_t word_at(const struct span *span, int offset)
{
    uint64_t word;
    memcpy(&word, span->bytes + offset, sizeof word);
    return word;
}

static int32_t instruction_offset(const struct layout *layout, const struct span *span,
                                  uint64_t code)
{
    uint64_t at = word_at(span, layout->frame_instruction);
    if (layout->instruction_kind == INSTRUCTION_POINTER) {
        return (int32_t)(at - (code + (uint64_t)layout->code_instructions));
    }
    int32_t index = (int32_t)at;
    return layout->instruction_kind == INSTRUCTION_UNITS && index >= 0 ? 2 * index : index;
}

static bool is_call(const struct layout *layout, const struct span *span)
{
    return layout->minor < 12 || span->bytes[layout->frame_owner] < LAYOUT_OWNER_NOT_A_CALL;
}

static bool belongs_to(const struct walk *walk, uint64_t state, uint64_t thread_id)
{
    int offset = walk->layout->state_thread_id;
    return thread_id == 0 || offset < 0 || field(walk, state, offset) == thread_id;
}

size_t remote_stack_walk(struct remote_memory *memory, const struct remote_interpreter *interpreter,
                         uint64_t state, uint64_t thread_id,
                         struct remote_frame frames[RECORD_FRAME_MAX])
{
    struct walk walk = {memory, interpreter, &interpreter->layout};
    size_t count = 0;
    if (!interpreter->is_known || state == 0 || !belongs_to(&walk, state, thread_id)) {
        return 0;
    }
    uint64_t frame = first_frame(&walk, state);
    for (int steps = 0; frame != 0 && steps < WALK_MAX && count < RECORD_FRAME_MAX; steps++) {
        struct span span;
        if (!read_span(&walk, frame, &span)) {
            break;
        }
        uint64_t code = word_at(&span, walk.layout->frame_code) & ~(uint64_t)3;
        if (is_call(walk.layout, &span) && is_code(&walk, code)) {
            frames[count++] =
                (struct remote_frame){code, instruction_offset(walk.layout, &span, code)};
        } else if (walk.layout->minor < 12) {
            break;
        }
        frame = word_at(&span, walk.layout->frame_previous);
    }
    return count;
}
