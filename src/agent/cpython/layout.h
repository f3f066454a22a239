// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where things lie in the structures of each CPython, in bytes. Layouts do not change within a
// minor version. 3.8 to 3.12 are rows of a table; from 3.13 on the interpreter carries the numbers
// itself, and a row tells where. docs/adding-a-python-version.md says how to add one.

#include <stdbool.h>
#include <stdint.h>

enum instruction_kind {
    INSTRUCTION_BYTES,   // the frame holds a byte offset (3.8, 3.9)
    INSTRUCTION_UNITS,   // an index of two-byte units (3.10)
    INSTRUCTION_POINTER, // an address (3.11 on)
};

// A field that a version does not have is -1.
struct layout {
    int minor;
    int state_frame;     // thread state: current frame, or cframe
    int state_cframe;    // thread state: the structure in the evaluation loop's own C frame
    int state_thread_id; // thread state: pthread_self
    int cframe_frame;    // cframe: current frame
    int cframe_previous; // cframe: the one outside
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

// Fills `layout` for PY_VERSION_HEX `version`. `runtime` is the address of _PyRuntime. False when
// the version is not known and its own numbers are not plausible either.
bool layout_find(struct layout *layout, uint32_t version, const void *runtime);

// The layout was guessed from that of the newest known version.
bool layout_is_guess(uint32_t version);
