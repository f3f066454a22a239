// SPDX-License-Identifier: Apache-2.0
#pragma once

// The subcommands. Each is one file cmd_NAME.c, which ends with its row, and one line in
// command.c's list; help texts, completions of shells and the manual page are made from these rows
// and from the options in them.

#include <stdbool.h>
#include <stddef.h>

#include "cli/option.h"

// What the words after a command's options are, for shells to complete.
enum command_operand {
    OPERAND_NONE,
    OPERAND_PROGRAM, // a Python program, and what it is given
    OPERAND_PROFILE,
    OPERAND_PROCESS,
    OPERAND_SHELL,
};

struct command {
    const char *name;
    const char *summary; // for the list of commands
    const char *usage;   // what may follow its name, a form a line
    const char *about;   // a paragraph; NULL: the summary is enough
    const struct option_table *options;
    enum command_operand operand;
    bool is_internal; // started by ourselves only, and shown nowhere
    // `words` are what stands after its name; the result is the exit status.
    int (*run)(int count, char **words);
};

enum command_status {
    COMMAND_OK = 0,
    COMMAND_FAILED = 1,
    COMMAND_MISUSED = 2,
};

extern const struct command run_command;
extern const struct command view_command;
extern const struct command propose_command;
extern const struct command recover_command;
extern const struct command pause_command;
extern const struct command resume_command;
extern const struct command completion_command;
extern const struct command collect_command;

// Ends with NULL.
extern const struct command *const commands[];

// What `scalene` itself takes in place of a command.
extern const struct option_table command_options;

// NULL when there is none of that name.
const struct command *command_find(const char *name);

// The command that was probably meant; NULL when none is near.
const char *command_nearest(const char *name);
