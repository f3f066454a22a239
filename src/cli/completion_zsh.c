// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cli/command.h"
#include "cli/completion.h"

// Inside single quotes, and inside a description of _arguments, where brackets and colons mean
// something.
static void add_described(struct text *out, const char *words)
{
    for (; *words; words++) {
        if (*words == '\'') {
            text_add(out, "'\\''");
            continue;
        }
        text_add(out, strchr("[]:\\", *words) ? "\\" : "");
        text_add_char(out, *words);
    }
}

static const char *action_of(const struct option *option)
{
    switch (option->content) {
    case OPTION_FILE:
        return "_files";
    case OPTION_FOLDER:
        return "_files -/";
    case OPTION_PROGRAM:
        return "_command_names -e";
    case OPTION_PLAIN:
        return "";
    }
    return "";
}

static void add_option(struct text *out, const struct option *option)
{
    text_add(out, "        ");
    if (option->letter) {
        text_format(out, "'(-%c --%s)'{-%c%s,--%s%s}'[", option->letter, option->name,
                    option->letter, option->argument ? "+" : "", option->name,
                    option->argument ? "=" : "");
    } else {
        text_format(out, "'--%s%s[", option->name, option->argument ? "=" : "");
    }
    add_described(out, option->help);
    text_add_char(out, ']');
    if (option->argument) {
        text_format(out, ":%s:%s", option->argument, action_of(option));
    }
    text_add(out, "' \\\n");
}

static const char *operand_action(enum command_operand operand)
{
    switch (operand) {
    case OPERAND_PROGRAM:
        return "        '(-)-m[a module, found as Python finds it]:module: ' \\\n"
               "        '(-)1:program:_files -g \"*.py(-.) *(-/)\"' \\\n"
               "        '*:: :_default'\n";
    case OPERAND_PROFILE:
        return "        '1:profile:_files -g \"*.json(-.) *(-/)\"'\n";
    case OPERAND_PROCESS:
        return "        '1:process:_pids'\n";
    case OPERAND_SHELL:
    case OPERAND_NONE:
        break;
    }
    return "";
}

static void add_shells(struct text *out)
{
    text_add(out, "        '1:shell:(");
    for (const struct completion_shell *shell = completion_shells; shell->name; shell++) {
        text_format(out, "%s%s", shell == completion_shells ? "" : " ", shell->name);
    }
    text_add(out, ")'\n");
}

static void add_command(struct text *out, const struct command *command)
{
    text_format(out, "_scalene_%s() {\n    _arguments -s -S -A '-*' \\\n", command->name);
    for (size_t i = 0; i < command->options->count; i++) {
        if (command->options->options[i].group <= OPTION_ADVANCED) {
            add_option(out, &command->options->options[i]);
        }
    }
    if (command->operand == OPERAND_SHELL) {
        add_shells(out);
    } else {
        text_add(out, operand_action(command->operand));
    }
    text_add(out, "}\n\n");
}

static void add_command_list(struct text *out)
{
    text_add(out, "_scalene() {\n"
                  "    local -a commands=(\n");
    for (const struct command *const *command = commands; *command; command++) {
        if (!(*command)->is_internal) {
            text_format(out, "        '%s:", (*command)->name);
            add_described(out, (*command)->summary);
            text_add(out, "'\n");
        }
    }
    text_add(out, "    )\n"
                  "    local curcontext=$curcontext state line\n"
                  "    _arguments -C \\\n");
    for (size_t i = 0; i < command_options.count; i++) {
        add_option(out, &command_options.options[i]);
    }
    text_add(out, "        '1: :->command' '*:: :->words'\n"
                  "    case $state in\n"
                  "    command) _describe command commands ;;\n"
                  "    words) (( $+functions[_scalene_$line[1]] )) && _scalene_$line[1] ;;\n"
                  "    esac\n"
                  "}\n\n");
}

void completion_add_zsh(struct text *out)
{
    text_add(out, "#compdef scalene\n"
                  "# zsh completion of scalene; made by: scalene completion zsh\n\n");
    for (const struct command *const *command = commands; *command; command++) {
        if (!(*command)->is_internal) {
            add_command(out, *command);
        }
    }
    add_command_list(out);
    text_add(out, "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
                  "    _scalene \"$@\"\n"
                  "else\n"
                  "    compdef _scalene scalene\n"
                  "fi\n");
}
