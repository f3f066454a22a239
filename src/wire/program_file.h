// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether the agent can be loaded into a program, by what the program's file says of itself. The
// launcher asks it of the interpreter, the agent of every program that a process becomes. The file
// is not trusted, and reached through the caller's own way of reading.
// Context: any thread, vfork child

#include <stddef.h>
#include <stdint.h>

#define PROGRAM_FILE_PATH_MAX 256 // the kernel reads no more of a first line

enum program_kind {
    PROGRAM_LOADS,         // the agent, when it is told to
    PROGRAM_OTHER_MACHINE, // another processor, or 32 bits
    PROGRAM_OTHER_LIBC,    // its loader is not glibc's
    PROGRAM_STATIC,        // it has no loader
    PROGRAM_SCRIPT,        // `interpreter` runs it
    PROGRAM_UNKNOWN,       // neither a program nor a script, or not to be read
};

struct program_file {
    enum program_kind kind;
    char interpreter[PROGRAM_FILE_PATH_MAX]; // of a script, else empty
};

// Reads up to `len` bytes at `offset`; returns how many, less than 0 when that fails.
typedef long program_file_reader(const void *context, void *buf, size_t len, uint64_t offset);

struct program_file program_file_look(program_file_reader *read, const void *context);
