// SPDX-License-Identifier: Apache-2.0
// `scalene completion`: prints the script that makes a shell complete scalene's command line.

#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/message.h"

struct completion_settings {
    bool wants_help;
};

static const struct option options[] = {
    {.name = "help",
     .letter = 'h',
     .kind = OPTION_TRUE,
     .group = OPTION_BASIC,
     .target = offsetof(struct completion_settings, wants_help),
     .help = "show this help and exit"},
};

static const struct option_table table = {
    .options = options,
    .count = sizeof options / sizeof *options,
};

static const struct completion_shell *find_shell(const char *name)
{
    const struct completion_shell *shell = completion_shells;
    while (shell->name && strcmp(shell->name, name) != 0) {
        shell++;
    }
    return shell->name ? shell : NULL;
}

static int run(int count, char **words)
{
    struct completion_settings settings = {0};
    struct error err;
    int used = 0;
    if (!option_parse(&table, count, words, &settings, &used, &err)) {
        message_print("%s", err.text);
        return COMMAND_MISUSED;
    }
    if (settings.wants_help) {
        help_print(stdout, &completion_command, OPTION_BASIC);
        return COMMAND_OK;
    }
    const struct completion_shell *shell = count - used == 1 ? find_shell(words[used]) : NULL;
    if (!shell) {
        message_print("give the name of a shell: bash, zsh or fish");
        return COMMAND_MISUSED;
    }
    struct text out = {0};
    shell->add_script(&out);
    fputs(out.data, stdout);
    text_clear(&out);
    return COMMAND_OK;
}

const struct command completion_command = {
    .name = "completion",
    .summary = "print the script that completes this command line in a shell",
    .usage = "bash\nzsh\nfish",
    .about =
        "For bash: source <(scalene completion bash). For zsh: put it into a file _scalene of a "
        "folder in $fpath. For fish: scalene completion fish | source.",
    .options = &table,
    .operand = OPERAND_SHELL,
    .run = run,
};
