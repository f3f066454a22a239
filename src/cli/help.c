// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME_COLUMN_END 24
#define MIN_TEXT_WIDTH  24
#define DEFAULT_WIDTH   80

#define SGR_HEADING "1;34"
#define SGR_PROGRAM "1;35"
#define SGR_LONG    "1;36"
#define SGR_SHORT   "1;32"
#define SGR_VALUE   "1;33"

// Returns how many columns it takes.
static size_t add_colored(struct text *out, const struct help_style *style, const char *sgr,
                          const char *piece)
{
    if (style->has_color) {
        text_format(out, "\033[%sm%s\033[0m", sgr, piece);
    } else {
        text_add(out, piece);
    }
    return strlen(piece);
}

static void add_spaces(struct text *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_add_char(out, ' ');
    }
}

// Words in lines that begin under the text column; the first line is begun already.
static void add_wrapped(struct text *out, const struct help_style *style, const char *words)
{
    unsigned width = style->width ? style->width : DEFAULT_WIDTH;
    size_t room =
        width > NAME_COLUMN_END + MIN_TEXT_WIDTH ? width - NAME_COLUMN_END - 1 : MIN_TEXT_WIDTH;
    size_t column = 0;
    while (*words) {
        size_t len = strcspn(words, " ");
        if (column > 0 && column + 1 + len > room) {
            text_add_char(out, '\n');
            add_spaces(out, NAME_COLUMN_END);
            column = 0;
        } else if (column > 0) {
            text_add_char(out, ' ');
            column++;
        }
        text_add_bytes(out, words, len);
        column += len;
        words += len + (words[len] == ' ');
    }
    text_add_char(out, '\n');
}

static void add_text_column(struct text *out, const struct help_style *style, size_t column,
                            const char *words)
{
    if (column + 1 > NAME_COLUMN_END) {
        text_add_char(out, '\n');
        column = 0;
    }
    add_spaces(out, NAME_COLUMN_END - column);
    add_wrapped(out, style, words);
}

void help_add_usage(struct text *out, const struct help_style *style, const char *usage)
{
    add_colored(out, style, SGR_HEADING, "usage:");
    text_add_char(out, ' ');
    size_t len = strcspn(usage, " ");
    char program[32];
    snprintf(program, sizeof program, "%.*s", (int)len, usage);
    add_colored(out, style, SGR_PROGRAM, program);
    text_add(out, usage + len);
    text_add_char(out, '\n');
}

void help_add_heading(struct text *out, const struct help_style *style, const char *heading)
{
    text_add_char(out, '\n');
    add_colored(out, style, SGR_HEADING, heading);
    text_add_char(out, '\n');
}

static void add_option(struct text *out, const struct help_style *style,
                       const struct option *option)
{
    char letter[3] = {'-', option->letter, '\0'};
    char name[64];
    snprintf(name, sizeof name, "--%s", option->name);
    size_t column = 2;
    text_add(out, "  ");
    if (option->letter) {
        column += add_colored(out, style, SGR_SHORT, letter) + 2;
        text_add(out, ", ");
    }
    column += add_colored(out, style, SGR_LONG, name);
    if (option->argument) {
        text_add_char(out, ' ');
        column += 1 + add_colored(out, style, SGR_VALUE, option->argument);
    }
    add_text_column(out, style, column, option->help);
}

void help_add_options(struct text *out, const struct help_style *style,
                      const struct option_table *table, enum option_group group)
{
    for (size_t i = 0; i < table->count; i++) {
        if (table->options[i].group == group) {
            add_option(out, style, &table->options[i]);
        }
    }
}

void help_add_commands(struct text *out, const struct help_style *style,
                       const struct command *commands, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_add(out, "  ");
        size_t column = 2 + add_colored(out, style, SGR_LONG, commands[i].name);
        add_text_column(out, style, column, commands[i].summary);
    }
}
