// SPDX-License-Identifier: Apache-2.0
#include "cli/manual.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/settings.h"

#define INSERT  ".\\\" insert "
#define VERSION "@version@"

// roff's own signs as themselves: a dash that can be copied, a backslash, a line that begins with a
// dot.
static void add_plain(struct text *out, const char *words, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        switch (words[i]) {
        case '-':
            text_add(out, "\\-");
            break;
        case '\\':
            text_add(out, "\\e");
            break;
        default:
            text_add_char(out, words[i]);
        }
    }
}

static void add_words(struct text *out, const char *words)
{
    add_plain(out, words, strlen(words));
}

// A phrase of the table as a sentence.
static void add_sentence(struct text *out, const struct option *option)
{
    const char *help = option->help;
    text_add_char(out, (char)toupper((unsigned char)help[0]));
    add_words(out, help + 1);
    text_add(out, ".\n");
    if (option->more) {
        add_words(out, option->more);
        text_add_char(out, '\n');
    }
}

static void add_option(struct text *out, const struct option *option)
{
    text_add(out, ".TP\n");
    if (option->letter) {
        text_format(out, "\\fB\\-%c\\fR, ", option->letter);
    }
    text_add(out, "\\fB\\-\\-");
    add_words(out, option->name);
    text_add(out, "\\fR");
    if (option->argument) {
        text_format(out, " \\fI%s\\fR", option->argument);
    }
    text_add_char(out, '\n');
    add_sentence(out, option);
}

static bool add_options(struct text *out, const char *which, struct error *err)
{
    char name[32] = "";
    char group_name[16] = "";
    sscanf(which, "%31s %15s", name, group_name);
    const struct command *command = command_find(name);
    if (!command) {
        return error_set(err, "there is no command '%s'", name);
    }
    enum option_group group = strcmp(group_name, "advanced") == 0 ? OPTION_ADVANCED : OPTION_BASIC;
    for (size_t i = 0; i < command->options->count; i++) {
        if (command->options->options[i].group == group) {
            add_option(out, &command->options->options[i]);
        }
    }
    return true;
}

// "[options] prog.py": what is in brackets or in small letters is to be replaced.
static void add_form(struct text *out, const char *form, size_t len)
{
    const char *end = form + len;
    while (form < end) {
        size_t word_len = form[0] == '[' ? strcspn(form, "]") + 1 : strcspn(form, " \n");
        bool is_bracket = form[0] == '[';
        bool is_literal = form[0] == '-';
        text_add(out, is_bracket ? " [\\fI" : is_literal ? " \\fB" : " \\fI");
        add_plain(out, form + is_bracket, word_len - (is_bracket ? 2 : 0));
        text_add(out, is_bracket ? "\\fR]" : "\\fR");
        form += word_len + (form + word_len < end);
    }
    text_add_char(out, '\n');
}

static void add_synopsis(struct text *out)
{
    for (const struct command *const *command = commands; *command; command++) {
        const char *forms = (*command)->is_internal ? "" : (*command)->usage;
        while (*forms) {
            size_t len = strcspn(forms, "\n");
            text_format(out, "\\fBscalene %s\\fR", (*command)->name);
            add_form(out, forms, len);
            text_add(out, ".br\n");
            forms += len + (forms[len] == '\n');
        }
    }
}

static void add_keys(struct text *out)
{
    const char *separator = "";
    for (size_t i = 0; i < settings_options.count; i++) {
        const struct option *option = &settings_options.options[i];
        if (option->group <= OPTION_ADVANCED && !option->is_line_only) {
            text_add(out, separator);
            text_add(out, "\\fB");
            add_words(out, option->name);
            text_add(out, "\\fR");
            separator = ",\n";
        }
    }
    text_add(out, ".\n");
}

static bool insert(struct text *out, const char *what, struct error *err)
{
    static const char options[] = "options ";
    if (strcmp(what, "synopsis") == 0) {
        add_synopsis(out);
        return true;
    }
    if (strcmp(what, "keys") == 0) {
        add_keys(out);
        return true;
    }
    if (strncmp(what, options, strlen(options)) == 0) {
        return add_options(out, what + strlen(options), err);
    }
    return error_set(err, "'%s' is nothing that can be inserted", what);
}

static void add_line(struct text *out, const char *line, size_t len)
{
    const char *version = memmem(line, len, VERSION, strlen(VERSION));
    size_t before = version ? (size_t)(version - line) : len;
    text_add_bytes(out, line, before);
    if (version) {
        text_add(out, SCALENE_VERSION);
        text_add_bytes(out, version + strlen(VERSION), len - before - strlen(VERSION));
    }
    text_add_char(out, '\n');
}

bool manual_add(struct text *out, const char *frame, struct error *err)
{
    while (*frame) {
        size_t len = strcspn(frame, "\n");
        if (strncmp(frame, INSERT, strlen(INSERT)) == 0) {
            char what[64] = "";
            snprintf(what, sizeof what, "%.*s", (int)(len - strlen(INSERT)),
                     frame + strlen(INSERT));
            if (!insert(out, what, err)) {
                return false;
            }
        } else {
            add_line(out, frame, len);
        }
        frame += len + (frame[len] == '\n');
    }
    return true;
}
