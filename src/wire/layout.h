// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where things lie in the structures of one CPython, in bytes. The agent finds the numbers and
// sends them along with the interpreter's record, so that the collector can read a blocked thread's
// stack from outside by the same ones.

#include <stdbool.h>
#include <stdint.h>

enum instruction_kind {
    INSTRUCTION_BYTES,   // the frame holds a byte offset (3.8, 3.9)
    INSTRUCTION_UNITS,   // an index of two-byte units (3.10)
    INSTRUCTION_POINTER, // an address (3.11 on)
};

// From 3.12 on: frames of this owner and above are the C stack's, the interpreter's own.
#define LAYOUT_OWNER_NOT_A_CALL 3

// A field that a version does not have is -1.
struct layout {
    int minor;
    int state_frame;       // thread state: current frame, or cframe
    int state_cframe;      // thread state: the structure in the evaluation loop's own C frame
    int state_thread_id;   // thread state: pthread_self
    int state_interpreter; // thread state: interpreter state
    int gc_collecting;     // interpreter state: whether it collects garbage; in 3.8 the runtime's
    int cframe_frame;      // cframe: current frame
    int cframe_previous;   // cframe: the one outside
    int frame_previous;
    int frame_code;
    int frame_instruction;
    int frame_owner;
    enum instruction_kind instruction_kind;
    int code_filename;
    int code_name;
    int code_qualname;
    int code_first_line;
    int code_line_table;
    int code_flags;
    int code_instructions; // inline in the object (3.11 on)
    int code_bytes;        // a bytes object of its own
    int object_type;
    int bytes_size;
    int bytes_data;
    int text_length;
    int text_state;
    int text_ascii_size;   // of the structure before ASCII data
    int text_compact_size; // of the structure before other data
};

#define LAYOUT_TEXT_POINTS_MAX 4096u // code points of a string: a path; the rest is left out

// A string's characters within the object.
struct layout_text {
    int offset;    // from the object's address
    uint32_t len;  // in bytes
    uint8_t width; // 1, 2 or 4 bytes a code point
};

// From the state and the length that a string object holds. False when it is not in one piece, as
// every name of code is, or no string at all.
static inline bool layout_find_text(const struct layout *layout, uint32_t state, uint64_t length,
                                    struct layout_text *text)
{
    uint8_t width = state >> 2 & 7;
    bool is_compact = state >> 5 & 1;
    bool is_ascii = state >> 6 & 1;
    uint64_t points = length < LAYOUT_TEXT_POINTS_MAX ? length : LAYOUT_TEXT_POINTS_MAX;
    text->offset = is_ascii ? layout->text_ascii_size : layout->text_compact_size;
    text->len = (uint32_t)points * width;
    text->width = width;
    return is_compact && (width == 1 || width == 2 || width == 4);
}
