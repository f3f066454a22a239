// SPDX-License-Identifier: Apache-2.0
// `scalene run`: what was asked for is read and checked here, before anything is started.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/text.h"
#include "cli/background.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/message.h"
#include "cli/outfile.h"
#include "cli/recording.h"
#include "cli/settings.h"
#include "cli/target.h"
#include "launch/agent_file.h"
#include "launch/interpreter.h"

// Each notice is one line.
static void print_notices(const struct text *notices)
{
    const char *line = notices->data ? notices->data : "";
    while (*line) {
        size_t len = strcspn(line, "\n");
        message_print("%.*s", (int)len, line);
        line += len + 1;
    }
}

static int read_settings(struct settings *settings, int count, char **words, int *used)
{
    struct text notices = {0};
    struct error err;
    enum settings_result result = settings_read(settings, count, words, used, &notices, &err);
    print_notices(&notices);
    text_clear(&notices);
    if (result == SETTINGS_OK) {
        return COMMAND_OK;
    }
    message_print("%s", err.text);
    return result == SETTINGS_MISUSED ? COMMAND_MISUSED : COMMAND_FAILED;
}

// Code compiled at run time hides its lines. Who has said otherwise is listened to.
static void turn_compilers_off(void)
{
    setenv("JAX_DISABLE_JIT", "1", 0);
    setenv("PYTORCH_JIT", "0", 0);
    setenv("PYTHON_JIT", "0", 0);
}

static bool find_interpreter(struct interpreter *interpreter, const struct settings *settings,
                             const struct target *target, struct error *err)
{
    struct interpreter_request request = {
        .asked = settings->python,
        .command = (const char *)getauxval(AT_EXECFN),
        .virtual_env = getenv("VIRTUAL_ENV"),
        .script = target->script,
        .search = getenv("PATH"),
    };
    return interpreter_find(interpreter, &request, err);
}

// Returns only when the program could not be started.
static bool run_program(const struct settings *settings, int count, char **words, struct error *err)
{
    struct target target = {0};
    struct interpreter interpreter = {0};
    char *outfile = NULL;
    char *agent = NULL;
    if (target_read(&target, count, words, err) &&
        find_interpreter(&interpreter, settings, &target, err) &&
        outfile_choose(&outfile, settings->outfile, err) && agent_file_find(&agent, err)) {
        struct recording_plan plan = {
            .settings = settings,
            .target = &target,
            .interpreter = &interpreter,
            .agent = agent,
            .outfile = outfile,
        };
        if (settings->is_jit_disabled) {
            turn_compilers_off();
        }
        background_announce();
        if (recording_run(&plan, err)) {
            abort(); // it ends the process itself
        }
    }
    free(agent);
    free(outfile);
    interpreter_clear(&interpreter);
    target_clear(&target);
    return false;
}

static int run(int count, char **words)
{
    struct settings settings;
    int used = 0;
    int status = read_settings(&settings, count, words, &used);
    if (status == COMMAND_OK && (settings.wants_help || settings.wants_advanced_help)) {
        help_print(stdout, &run_command, settings.wants_help ? OPTION_BASIC : OPTION_ADVANCED);
    } else if (status == COMMAND_OK) {
        struct error err;
        run_program(&settings, count - used, words + used, &err);
        message_print("%s", err.text);
        status = COMMAND_FAILED;
    }
    settings_clear(&settings);
    return status;
}

const struct command run_command = {
    .name = "run",
    .summary = "profile a Python program",
    .usage = "[options] prog.py [args ...]\n"
             "[options] -m module [args ...]\n"
             "[options] - [args ...]\n"
             "[options] --- [anything python takes]",
    .about = "Options stand before the program; what follows its name is the program's.",
    .options = &settings_options,
    .operand = OPERAND_PROGRAM,
    .run = run,
};
