// SPDX-License-Identifier: Apache-2.0
// For bash 4 and later, with nothing else installed. What it does not know it leaves to bash's own
// completion of file names.

#include "cli/command.h"
#include "cli/completion.h"

// Words before the cursor are walked over: behind the program's name all is the program's.
static const char opening[] =
    "# bash completion of scalene; made by: scalene completion bash\n"
    "_scalene() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local options= files= folders= programs= words= i\n"
    "    COMPREPLY=()\n"
    "    case $before in =) before=${COMP_WORDS[COMP_CWORD - 2]} ;; esac\n"
    "    case $current in =) current= ;; esac\n";

static const char middle[] =
    "    if ((COMP_CWORD == 1)); then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$commands\" -- \"$current\")\n"
    "        return\n"
    "    fi\n"
    "    case ${COMP_WORDS[1]} in\n";

static const char closing[] =
    "    *) return ;;\n"
    "    esac\n"
    "    case \" $files \" in *\" $before \"*) return ;; esac\n"
    "    case \" $folders \" in *\" $before \"*)\n"
    "        mapfile -t COMPREPLY < <(compgen -d -- \"$current\")\n"
    "        return ;;\n"
    "    esac\n"
    "    case \" $programs \" in *\" $before \"*)\n"
    "        case $current in */*) return ;; esac\n"
    "        mapfile -t COMPREPLY < <(compgen -c -- \"$current\" | sort -u)\n"
    "        return ;;\n"
    "    esac\n"
    "    case \" $words \" in *\" $before \"*) compopt +o default +o bashdefault; return ;; esac\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        case \" $files $folders $programs $words \" in\n"
    "        *\" ${COMP_WORDS[i]} \"*) [[ ${COMP_WORDS[i + 1]} == = ]] && ((i++)); ((i++)) ;;\n"
    "        *) case ${COMP_WORDS[i]} in --[a-z]* | -h | -r) ;; *) return ;; esac ;;\n"
    "        esac\n"
    "    done\n"
    "    case $current in\n"
    "    -*) mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\") ;;\n"
    "    *) _scalene_operands ;;\n"
    "    esac\n"
    "}\n"
    "complete -o bashdefault -o default -F _scalene scalene\n";

static void add_names(struct text *out, const struct option *option)
{
    if (option->letter) {
        text_format(out, "-%c ", option->letter);
    }
    text_format(out, "--%s ", option->name);
}

static bool is_shown(const struct option *option)
{
    return option->group <= OPTION_ADVANCED;
}

static void add_list(struct text *out, const char *variable, const struct option_table *table,
                     bool (*is_listed)(const struct option *))
{
    text_format(out, "        %s=\"", variable);
    for (size_t i = 0; i < table->count; i++) {
        if (is_listed(&table->options[i])) {
            add_names(out, &table->options[i]);
        }
    }
    text_add(out, "\"\n");
}

static bool takes_file(const struct option *option)
{
    return option->argument && option->content == OPTION_FILE;
}

static bool takes_folder(const struct option *option)
{
    return option->argument && option->content == OPTION_FOLDER;
}

static bool takes_program(const struct option *option)
{
    return option->argument && option->content == OPTION_PROGRAM;
}

static bool takes_word(const struct option *option)
{
    return option->argument && option->content == OPTION_PLAIN;
}

static void add_operands(struct text *out, enum command_operand operand)
{
    text_add(out, "        _scalene_operands() {\n            ");
    switch (operand) {
    case OPERAND_PROGRAM:
        text_add(out, "compopt -o filenames\n"
                      "            mapfile -t COMPREPLY < <(compgen -d -- \"$current\"; "
                      "compgen -f -X '!*.py' -- \"$current\")");
        break;
    case OPERAND_PROFILE:
        text_add(out, "compopt -o filenames\n"
                      "            mapfile -t COMPREPLY < <(compgen -d -- \"$current\"; "
                      "compgen -f -X '!*.json' -- \"$current\")");
        break;
    case OPERAND_PROCESS:
        text_add(out, "compopt +o default +o bashdefault\n"
                      "            mapfile -t COMPREPLY < <(compgen -W \"$(pgrep -x scalene)\" "
                      "-- \"$current\")");
        break;
    case OPERAND_SHELL:
        text_add(out, "compopt +o default +o bashdefault\n"
                      "            mapfile -t COMPREPLY < <(compgen -W \"");
        for (const struct completion_shell *shell = completion_shells; shell->name; shell++) {
            text_format(out, "%s ", shell->name);
        }
        text_add(out, "\" -- \"$current\")");
        break;
    case OPERAND_NONE:
        text_add(out, ":");
        break;
    }
    text_add(out, "\n        }\n");
}

static void add_command(struct text *out, const struct command *command)
{
    text_format(out, "    %s)\n", command->name);
    add_list(out, "options", command->options, is_shown);
    add_list(out, "files", command->options, takes_file);
    add_list(out, "folders", command->options, takes_folder);
    add_list(out, "programs", command->options, takes_program);
    add_list(out, "words", command->options, takes_word);
    add_operands(out, command->operand);
    text_add(out, "        ;;\n");
}

void completion_add_bash(struct text *out)
{
    text_add(out, opening);
    text_add(out, "    local commands=\"");
    for (const struct command *const *command = commands; *command; command++) {
        text_format(out, "%s%s", (*command)->is_internal ? "" : (*command)->name,
                    (*command)->is_internal ? "" : " ");
    }
    for (size_t i = 0; i < command_options.count; i++) {
        add_names(out, &command_options.options[i]);
    }
    text_add(out, "\"\n");
    text_add(out, middle);
    for (const struct command *const *command = commands; *command; command++) {
        if (!(*command)->is_internal) {
            add_command(out, *command);
        }
    }
    text_add(out, closing);
}
