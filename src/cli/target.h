// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is to be profiled, read from the words after scalene's own options: `prog.py args`,
// `-m module args`, `-` (a program on stdin), or `---` and whatever python itself takes.
// The words are the interpreter's, but for a `---` that stands behind the program's name in the
// first three forms: it is taken out.

#include <stdbool.h>

#include "base/error.h"

struct target {
    char **words; // what follows the interpreter's name; part of argv
    int word_count;
    int first_arg;      // where sys.argv begins in them
    const char *script; // the file Python is given; NULL: -m, -c, stdin
    char *program;      // absolute path of the script, "-m module", "-c", or "-"
    char *directory;    // of the code to profile: the script's, or the current one (-m, a package's
                        // command)
    char *entry_dir;    // of the script; empty when there is none
    const char *code;   // the text after -c; NULL: the program is in a file, or on stdin
    char *code_name;    // the program's own code: path of the script, "<string>", "<stdin>" or NULL
};

__attribute__((warn_unused_result)) bool target_read(struct target *target, int count, char **words,
                                                     struct error *err);
void target_clear(struct target *target);
