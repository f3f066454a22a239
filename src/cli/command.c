// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <stdint.h>
#include <string.h>

#include "cli/nearest.h"

const struct command *const commands[] = {
    &run_command,        &view_command,    &propose_command,
    &recover_command,    &pause_command,   &resume_command,
    &completion_command, &collect_command, NULL,
};

// clang-format off
static const struct option options[] = {
    {.name = "help", .letter = 'h', .kind = OPTION_NOTHING, .group = OPTION_BASIC,
     .help = "show this help and exit"},
    {.name = "version", .kind = OPTION_NOTHING, .group = OPTION_BASIC,
     .help = "show the version and exit"},
};
// clang-format on

const struct option_table command_options = {
    .options = options,
    .count = sizeof options / sizeof *options,
};

const struct command *command_find(const char *name)
{
    for (const struct command *const *command = commands; *command; command++) {
        if (strcmp((*command)->name, name) == 0) {
            return *command;
        }
    }
    return NULL;
}

const char *command_nearest(const char *name)
{
    const char *meant = NULL;
    size_t best = SIZE_MAX;
    for (const struct command *const *command = commands; *command; command++) {
        if (!(*command)->is_internal && nearest_improves(name, (*command)->name, &best)) {
            meant = (*command)->name;
        }
    }
    return meant;
}
