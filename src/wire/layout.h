// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where things lie in the structures of one CPython, in bytes. The agent finds the numbers and
// sends them along with the interpreter's record, so that the collector can read a blocked thread's
// stack from outside by the same ones.

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
