// SPDX-License-Identifier: Apache-2.0
// `scalene collect [options] PID [words]`: the collector of a program that runs already. The Python
// package starts it; it is not meant to be typed. The words are those of the program's own command
// line, after the interpreter's name.

#include <limits.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/live_recording.h"
#include "cli/message.h"
#include "cli/outfile.h"
#include "cli/settings.h"
#include "cli/target.h"
#include "launch/path.h"

static bool read_pid(int *pid, const char *word, struct error *err)
{
    char *end;
    long number = strtol(word, &end, 10);
    if (*end != '\0' || number <= 0 || number > INT_MAX) {
        return error_set(err, "'%s' is not the number of a process", word);
    }
    *pid = (int)number;
    return true;
}

// A script may be named relative to a directory that the program has left since, and a program that
// only has Python inside has words of its own: then it is a program without a file.
static bool read_target(struct target *target, int count, char **words, struct error *err)
{
    static char standard_input[] = "-";
    static char *nameless[] = {standard_input, NULL};
    struct error ignored;
    return (count > 0 && target_read(target, count, words, &ignored)) ||
           target_read(target, 1, nameless, err);
}

static bool record(const struct settings *settings, int count, char **words, struct error *err)
{
    struct live_recording_plan plan = {.settings = settings};
    struct target target = {0};
    char *outfile = NULL;
    bool is_done = false;
    if (count < 1) {
        return error_set(err, "no process given: scalene collect [options] PID [words]");
    }
    if (read_pid(&plan.pid, words[0], err) && read_target(&target, count - 1, words + 1, err) &&
        outfile_choose(&outfile, settings->outfile, err)) {
        plan.target = &target;
        plan.outfile = path_absolute(outfile);
        is_done = live_recording_run(&plan, err);
        free((char *)plan.outfile);
    }
    free(outfile);
    target_clear(&target);
    return is_done;
}

static int run_collect(int count, char **words)
{
    struct settings settings;
    struct text warnings = {0};
    struct error err;
    int used = 0;
    enum settings_result result = settings_read(&settings, count, words, &used, &warnings, &err);
    bool is_done = result == SETTINGS_OK && record(&settings, count - used, words + used, &err);
    if (!is_done) {
        message_print("%s", err.text);
    }
    text_clear(&warnings);
    settings_clear(&settings);
    return is_done ? COMMAND_OK : result == SETTINGS_MISUSED ? COMMAND_MISUSED : COMMAND_FAILED;
}

const struct command collect_command = {
    .name = "collect",
    .summary = "collect from a program that runs already",
    .usage = "[options] PID [words]",
    .options = &settings_options,
    .operand = OPERAND_NONE,
    .is_internal = true,
    .run = run_collect,
};
