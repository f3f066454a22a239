// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/layout.h"

#include <stddef.h>
#include <string.h>

#define NEWEST_MINOR 15

// 3.9 is as 3.8, but that garbage is collected by each interpreter and no longer by the runtime.
#define GC_COLLECTING_OF_3_9 816

static const struct layout table[] = {
    {.minor = 8,
     .state_interpreter = 16,
     .gc_collecting = 544,
     .state_frame = 24,
     .state_cframe = -1,
     .state_thread_id = 176,
     .cframe_frame = -1,
     .cframe_previous = -1,
     .frame_previous = 24,
     .frame_code = 32,
     .frame_instruction = 104,
     .frame_owner = -1,
     .instruction_kind = INSTRUCTION_BYTES,
     .code_filename = 104,
     .code_name = 112,
     .code_qualname = -1,
     .code_first_line = 40,
     .code_line_table = 120,
     .code_flags = 36,
     .code_instructions = -1,
     .code_bytes = 48,
     .object_type = 8,
     .bytes_size = 16,
     .bytes_data = 32,
     .text_length = 16,
     .text_state = 32,
     .text_ascii_size = 48,
     .text_compact_size = 72},
    {.minor = 10,
     .state_interpreter = 16,
     .gc_collecting = 816,
     .state_frame = 24,
     .state_cframe = 48,
     .state_thread_id = 176,
     .cframe_frame = -1,
     .cframe_previous = -1,
     .frame_previous = 24,
     .frame_code = 32,
     .frame_instruction = 96,
     .frame_owner = -1,
     .instruction_kind = INSTRUCTION_UNITS,
     .code_filename = 104,
     .code_name = 112,
     .code_qualname = -1,
     .code_first_line = 40,
     .code_line_table = 120,
     .code_flags = 36,
     .code_instructions = -1,
     .code_bytes = 48,
     .object_type = 8,
     .bytes_size = 16,
     .bytes_data = 32,
     .text_length = 16,
     .text_state = 32,
     .text_ascii_size = 48,
     .text_compact_size = 72},
    {.minor = 11,
     .state_interpreter = 16,
     .gc_collecting = 848,
     .state_frame = -1,
     .state_cframe = 56,
     .state_thread_id = 152,
     .cframe_frame = 8,
     .cframe_previous = 16,
     .frame_previous = 48,
     .frame_code = 32,
     .frame_instruction = 56,
     .frame_owner = 69,
     .instruction_kind = INSTRUCTION_POINTER,
     .code_filename = 112,
     .code_name = 120,
     .code_qualname = 128,
     .code_first_line = 72,
     .code_line_table = 136,
     .code_flags = 48,
     .code_instructions = 184,
     .code_bytes = -1,
     .object_type = 8,
     .bytes_size = 16,
     .bytes_data = 32,
     .text_length = 16,
     .text_state = 32,
     .text_ascii_size = 48,
     .text_compact_size = 72},
    {.minor = 12,
     .state_interpreter = 16,
     .gc_collecting = 312,
     .state_frame = -1,
     .state_cframe = 56,
     .state_thread_id = 136,
     .cframe_frame = 0,
     .cframe_previous = 8,
     .frame_previous = 8,
     .frame_code = 0,
     .frame_instruction = 56,
     .frame_owner = 70,
     .instruction_kind = INSTRUCTION_POINTER,
     .code_filename = 112,
     .code_name = 120,
     .code_qualname = 128,
     .code_first_line = 68,
     .code_line_table = 136,
     .code_flags = 48,
     .code_instructions = 192,
     .code_bytes = -1,
     .object_type = 8,
     .bytes_size = 16,
     .bytes_data = 32,
     .text_length = 16,
     .text_state = 32,
     .text_ascii_size = 40,
     .text_compact_size = 56},
};

// Where in _Py_DebugOffsets each group begins; the groups' first members have kept their order.
struct debug_groups {
    int minor;
    int thread_state;
    int state_current_frame; // index of the member within thread_state ...
    int state_thread_id;     // ... in words, the size being word 0
    int frame;
    int code;
    int object;
    int bytes;
    int text;
    int interpreter_gc; // index of the member within interpreter_state
    int gc;
};

static const struct debug_groups debug_table[] = {
    {13, 152, 4, 5, 224, 272, 352, 512, 536, 4, 568},
    {14, 176, 4, 5, 248, 312, 400, 592, 616, 5, 648},
    {15, 176, 4, 8, 312, 376, 464, 688, 712, 5, 752},
};

#define DEBUG_COOKIE            "xdebugpy"
#define DEBUG_INTERPRETER_STATE 48

static int read_number(const uint8_t *offsets, int group, int member)
{
    uint64_t value;
    memcpy(&value, offsets + group + member * 8, sizeof value);
    return value < 1u << 20 ? (int)value : -1;
}

static void read_debug_offsets(struct layout *layout, const uint8_t *offsets,
                               const struct debug_groups *groups)
{
    *layout = (struct layout){
        .minor = groups->minor,
        .state_frame = read_number(offsets, groups->thread_state, groups->state_current_frame),
        .state_cframe = -1,
        .state_thread_id = read_number(offsets, groups->thread_state, groups->state_thread_id),
        .state_interpreter = read_number(offsets, groups->thread_state, 3),
        .gc_collecting = read_number(offsets, DEBUG_INTERPRETER_STATE, groups->interpreter_gc) +
                         read_number(offsets, groups->gc, 1),
        .cframe_frame = -1,
        .cframe_previous = -1,
        .frame_previous = read_number(offsets, groups->frame, 1),
        .frame_code = read_number(offsets, groups->frame, 2),
        .frame_instruction = read_number(offsets, groups->frame, 3),
        .frame_owner = read_number(offsets, groups->frame, 5),
        .instruction_kind = INSTRUCTION_POINTER,
        .code_filename = read_number(offsets, groups->code, 1),
        .code_name = read_number(offsets, groups->code, 2),
        .code_qualname = read_number(offsets, groups->code, 3),
        .code_line_table = read_number(offsets, groups->code, 4),
        .code_first_line = read_number(offsets, groups->code, 5),
        .code_instructions = read_number(offsets, groups->code, 9),
        .code_bytes = -1,
        .object_type = read_number(offsets, groups->object, 1),
        .bytes_size = read_number(offsets, groups->bytes, 1),
        .bytes_data = read_number(offsets, groups->bytes, 2),
        .text_state = read_number(offsets, groups->text, 1),
        .text_length = read_number(offsets, groups->text, 2),
        .text_ascii_size = read_number(offsets, groups->text, 3),
    };
    // Not among the numbers: the flags follow the object head and three pointers.
    layout->code_flags = read_number(offsets, groups->object, 0) + 8 + 3 * 8;
    layout->text_compact_size = layout->text_ascii_size + 16;
}

// A version we have no row for may have moved the groups; its numbers must still make sense.
static bool is_plausible(const struct layout *layout)
{
    const int pointers[] = {
        layout->state_frame,       layout->frame_previous,  layout->frame_code,
        layout->frame_instruction, layout->code_filename,   layout->code_name,
        layout->code_qualname,     layout->code_line_table, layout->object_type,
        layout->bytes_size,        layout->bytes_data,      layout->text_length};
    for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
        if (pointers[i] < 0 || pointers[i] > 4096 || pointers[i] % 8 != 0) {
            return false;
        }
    }
    return layout->frame_previous != layout->frame_code &&
           layout->code_filename < layout->code_name && layout->code_name < layout->code_qualname &&
           layout->code_instructions > layout->code_line_table &&
           layout->bytes_size < layout->bytes_data && layout->text_ascii_size > 0;
}

bool layout_is_guess(uint32_t version)
{
    return (version >> 24) != 3 || (version >> 16 & 0xff) > NEWEST_MINOR;
}

bool layout_find(struct layout *layout, uint32_t version, const void *runtime)
{
    int minor = (int)(version >> 16 & 0xff);
    if (version >> 24 != 3) {
        return false;
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].minor == (minor == 9 ? 8 : minor)) {
            *layout = table[i];
            layout->minor = minor;
            layout->gc_collecting = minor == 9 ? GC_COLLECTING_OF_3_9 : layout->gc_collecting;
            return true;
        }
    }
    const uint8_t *offsets = runtime;
    if (minor < 13 || memcmp(offsets, DEBUG_COOKIE, 8) != 0) {
        return false;
    }
    size_t last = sizeof debug_table / sizeof *debug_table - 1;
    size_t row = (size_t)(minor - debug_table[0].minor);
    read_debug_offsets(layout, offsets, &debug_table[row < last ? row : last]);
    layout->minor = minor;
    return is_plausible(layout);
}
