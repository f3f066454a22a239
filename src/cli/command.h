// SPDX-License-Identifier: Apache-2.0
#pragma once

// A subcommand: one file cmd_NAME.c and one row in main.c's table. `words` are what stands after
// its name; the result is the exit status.

struct command {
    const char *name;
    const char *summary;
    int (*run)(int count, char **words);
};

enum command_status {
    COMMAND_OK = 0,
    COMMAND_FAILED = 1,
    COMMAND_MISUSED = 2,
};

int cmd_run(int count, char **words);
int cmd_view(int count, char **words);
