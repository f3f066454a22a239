// SPDX-License-Identifier: Apache-2.0
// `scalene pause` and `scalene resume`: sampling off and on in a run under way.

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/message.h"
#include "launch/run_switch.h"

struct pause_settings {
    bool wants_help;
};

static const struct option options[] = {
    {.name = "help",
     .letter = 'h',
     .kind = OPTION_TRUE,
     .group = OPTION_BASIC,
     .target = offsetof(struct pause_settings, wants_help),
     .help = "show this help and exit"},
};

static const struct option_table table = {
    .options = options,
    .count = sizeof options / sizeof *options,
};

static bool read_pid(int count, char **words, pid_t *pid, struct error *err)
{
    if (count != 1) {
        return error_set(err, "give one process id: that of scalene run, or of a process that it "
                              "profiles");
    }
    char *end;
    long number = strtol(words[0], &end, 10);
    if (end == words[0] || *end || number <= 0 || number > INT_MAX) {
        return error_set(err, "'%s' is not a process id", words[0]);
    }
    *pid = (pid_t)number;
    return true;
}

static int turn(const struct command *command, bool is_on, int count, char **words)
{
    struct pause_settings settings = {0};
    struct error err;
    int used = 0;
    pid_t pid = 0;
    bool is_understood = option_parse(&table, count, words, &settings, &used, &err);
    if (is_understood && settings.wants_help) {
        help_print(stdout, command, OPTION_BASIC);
        return COMMAND_OK;
    }
    if (!is_understood || !read_pid(count - used, words + used, &pid, &err)) {
        message_print("%s", err.text);
        return COMMAND_MISUSED;
    }
    enum run_switch_result result = run_switch(pid, is_on, &err);
    if (result == RUN_NOT_FOUND) {
        message_print("%s", err.text);
        return COMMAND_FAILED;
    }
    printf("Scalene: profiling %s %s%s.\n", result == RUN_SWITCHED ? "turned" : "was",
           is_on ? "on" : "off", result == RUN_SWITCHED ? "" : " already");
    return COMMAND_OK;
}

static int run_pause(int count, char **words)
{
    return turn(&pause_command, false, count, words);
}

static int run_resume(int count, char **words)
{
    return turn(&resume_command, true, count, words);
}

const struct command pause_command = {
    .name = "pause",
    .summary = "stop measuring a run for a while",
    .usage = "PID",
    .about = "Turns profiling off in all processes of a run: PID is that of scalene run, or of any "
             "process that it profiles. They go on undisturbed.",
    .options = &table,
    .operand = OPERAND_PROCESS,
    .run = run_pause,
};

const struct command resume_command = {
    .name = "resume",
    .summary = "go on measuring it",
    .usage = "PID",
    .about =
        "Turns profiling on again after scalene pause, or for the first time after scalene run "
        "--off.",
    .options = &table,
    .operand = OPERAND_PROCESS,
    .run = run_resume,
};
