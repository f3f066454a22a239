// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/completion.h"

static void add_quoted(struct text *out, const char *words)
{
    text_add_char(out, '\'');
    for (; *words; words++) {
        text_add(out, *words == '\'' || *words == '\\' ? "\\" : "");
        text_add_char(out, *words);
    }
    text_add_char(out, '\'');
}

static const char *argument_of(const struct option *option)
{
    if (!option->argument) {
        return "";
    }
    switch (option->content) {
    case OPTION_FILE:
        return " -rF";
    case OPTION_FOLDER:
        return " -xa '(__fish_complete_directories)'";
    case OPTION_PROGRAM:
        return " -xa '(__fish_complete_command)'";
    case OPTION_PLAIN:
        return " -x";
    }
    return "";
}

static void add_option(struct text *out, const char *condition, const struct option *option)
{
    text_format(out, "complete -c scalene -n '%s' -l %s", condition, option->name);
    if (option->letter) {
        text_format(out, " -s %c", option->letter);
    }
    text_format(out, "%s -d ", argument_of(option));
    add_quoted(out, option->help);
    text_add_char(out, '\n');
}

static void add_operands(struct text *out, const char *condition, enum command_operand operand)
{
    switch (operand) {
    case OPERAND_PROFILE:
        text_format(out, "complete -c scalene -n '%s' -ka '(__fish_complete_suffix .json)'\n",
                    condition);
        break;
    case OPERAND_PROCESS:
        text_format(out, "complete -c scalene -n '%s' -a '(__fish_complete_pids)'\n", condition);
        break;
    case OPERAND_SHELL:
        text_format(out, "complete -c scalene -n '%s' -a '", condition);
        for (const struct completion_shell *shell = completion_shells; shell->name; shell++) {
            text_format(out, "%s%s", shell == completion_shells ? "" : " ", shell->name);
        }
        text_add(out, "'\n");
        break;
    case OPERAND_PROGRAM: // files, before and behind its name
    case OPERAND_NONE:
        break;
    }
}

static void add_command(struct text *out, const struct command *command)
{
    struct text condition = {0};
    text_format(out, "complete -c scalene -n __fish_use_subcommand -a %s -d ", command->name);
    add_quoted(out, command->summary);
    text_add_char(out, '\n');
    text_format(&condition, "__scalene_is_in %s", command->name);
    for (size_t i = 0; i < command->options->count; i++) {
        if (command->options->options[i].group <= OPTION_ADVANCED) {
            add_option(out, condition.data, &command->options->options[i]);
        }
    }
    add_operands(out, condition.data, command->operand);
    text_clear(&condition);
}

// Behind the program's name all is the program's: no option of ours is proposed there.
static const char opening[] =
    "# fish completion of scalene; made by: scalene completion fish\n"
    "function __scalene_is_in\n"
    "    set -l words (commandline -opc)\n"
    "    test \"$words[2]\" = $argv[1]; or return 1\n"
    "    test $argv[1] = run; or return 0\n"
    "    string match -qr '^(-m|---|[^-].*\\.py)$' -- $words[3..]; and return 1\n"
    "    return 0\n"
    "end\n"
    "complete -c scalene -f\n"
    "complete -c scalene -n '__fish_seen_subcommand_from run' -F\n";

void completion_add_fish(struct text *out)
{
    text_add(out, opening);
    for (size_t i = 0; i < command_options.count; i++) {
        add_option(out, "__fish_use_subcommand", &command_options.options[i]);
    }
    for (const struct command *const *command = commands; *command; command++) {
        if (!(*command)->is_internal) {
            add_command(out, *command);
        }
    }
}
