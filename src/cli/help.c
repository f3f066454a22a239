// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <string.h>

#include "cli/screen.h"

#define NAME_COLUMN_END 24
#define MIN_TEXT_WIDTH  24
#define DEFAULT_WIDTH   80

// The colours of argparse's default theme: in the usage line the plain ones, in lists the bold.
#define SGR_HEADING     "1;34"
#define SGR_PROGRAM     "1;35"
#define SGR_LONG        "1;36"
#define SGR_SHORT       "1;32"
#define SGR_VALUE       "1;33"
#define SGR_COMMAND     "1;32"
#define SGR_USAGE_LONG  "36"
#define SGR_USAGE_SHORT "32"
#define SGR_USAGE_WORD  "32"

// Text that grows to the right, column by column.
struct line {
    struct text *out;
    const struct help_style *style;
    size_t column;
};

static size_t width_of(const struct help_style *style)
{
    return style->width ? style->width : DEFAULT_WIDTH;
}

static void add_spaces(struct line *line, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_add_char(line->out, ' ');
    }
    line->column += count;
}

static void add_colored(struct line *line, const char *sgr, const char *piece, size_t len)
{
    bool has_color = sgr && line->style->has_color;
    if (has_color) {
        text_format(line->out, "\033[%sm", sgr);
    }
    text_add_bytes(line->out, piece, len);
    text_add(line->out, has_color ? "\033[0m" : "");
    line->column += len;
}

static void add_piece(struct line *line, const char *sgr, const char *piece)
{
    add_colored(line, sgr, piece, strlen(piece));
}

static void end_line(struct line *line)
{
    text_add_char(line->out, '\n');
    line->column = 0;
}

// Makes room for a word of `len` columns: after a blank, or under `indent` on the next line.
static void begin_word(struct line *line, size_t len, size_t indent)
{
    if (line->column > indent && line->column + 1 + len > width_of(line->style)) {
        end_line(line);
    } else if (line->column > indent) {
        add_spaces(line, 1);
    }
    if (line->column < indent) {
        add_spaces(line, indent - line->column);
    }
}

static void add_folded(struct line *line, const char *words, size_t indent)
{
    while (*words) {
        size_t len = strcspn(words, " ");
        begin_word(line, len, indent);
        add_colored(line, NULL, words, len);
        words += len + (words[len] == ' ');
    }
    end_line(line);
}

static const char *usage_sgr(const char *word)
{
    if (word[0] != '-') {
        return SGR_USAGE_WORD;
    }
    return word[1] == '-' ? SGR_USAGE_LONG : SGR_USAGE_SHORT;
}

// One form, such as "[options] prog.py [args ...]"; brackets stay as they are. A pair of brackets
// is not folded.
static void add_usage_form(struct line *line, const char *form, size_t len, size_t indent)
{
    const char *end = form + len;
    while (form < end) {
        size_t word_len = form[0] == '[' ? strcspn(form, "]") + 1 : strcspn(form, " \n");
        begin_word(line, word_len, indent);
        if (form[0] == '[') {
            add_piece(line, NULL, "[");
            add_colored(line, usage_sgr(form + 1), form + 1, word_len - 2);
            add_piece(line, NULL, "]");
        } else {
            add_colored(line, usage_sgr(form), form, word_len);
        }
        form += word_len + (form + word_len < end);
    }
    end_line(line);
}

static void add_usage(struct line *line, const char *program, const char *forms)
{
    static const char heading[] = "usage:";
    size_t margin = strlen(heading) + 1;
    add_piece(line, SGR_HEADING, heading);
    while (*forms) {
        size_t len = strcspn(forms, "\n");
        add_spaces(line, margin - line->column);
        add_piece(line, SGR_PROGRAM, program);
        size_t indent = margin + strlen(program) + 1;
        bool is_narrow = indent + MIN_TEXT_WIDTH > width_of(line->style);
        add_usage_form(line, forms, len, is_narrow ? margin : indent);
        forms += len + (forms[len] == '\n');
    }
}

static void add_heading(struct line *line, const char *heading)
{
    end_line(line);
    add_piece(line, SGR_HEADING, heading);
    end_line(line);
}

// What a name in the left column means.
static void add_meaning(struct line *line, const char *words)
{
    bool is_narrow = NAME_COLUMN_END + MIN_TEXT_WIDTH > width_of(line->style);
    size_t indent = is_narrow ? 6 : NAME_COLUMN_END;
    if (is_narrow || line->column + 1 > indent) {
        end_line(line);
    }
    add_folded(line, words, indent);
}

static void add_option(struct line *line, const struct option *option)
{
    char letter[] = {'-', option->letter, '\0'};
    add_spaces(line, 2);
    if (option->letter) {
        add_piece(line, SGR_SHORT, letter);
        add_piece(line, NULL, ", ");
    }
    struct text name = {0};
    text_format(&name, "--%s", option->name);
    add_piece(line, SGR_LONG, name.data);
    text_clear(&name);
    if (option->argument) {
        add_spaces(line, 1);
        add_piece(line, SGR_VALUE, option->argument);
    }
    add_meaning(line, option->help);
}

static void add_options(struct line *line, const struct option_table *table,
                        enum option_group group)
{
    for (size_t i = 0; i < table->count; i++) {
        if (table->options[i].group == group) {
            add_option(line, &table->options[i]);
        }
    }
}

void help_add_command(struct text *out, const struct help_style *style,
                      const struct command *command, enum option_group group)
{
    struct line line = {.out = out, .style = style};
    struct text program = {0};
    text_format(&program, "scalene %s", command->name);
    add_usage(&line, program.data, command->usage);
    text_clear(&program);
    if (command->about) {
        end_line(&line);
        add_folded(&line, command->about, 0);
    }
    add_heading(&line, group == OPTION_ADVANCED ? "advanced options:" : "options:");
    add_options(&line, command->options, group);
}

static void add_example(struct line *line, const char *example, const char *meaning)
{
    static const size_t column = 33;
    add_spaces(line, 2);
    add_piece(line, NULL, example);
    if (column + strlen(meaning) <= width_of(line->style)) {
        add_spaces(line, column - line->column);
        add_piece(line, NULL, meaning);
    }
    end_line(line);
}

void help_add_overview(struct text *out, const struct help_style *style)
{
    struct line line = {.out = out, .style = style};
    add_usage(&line, "scalene", "COMMAND [options] ...");
    end_line(&line);
    add_folded(&line, "A profiler for Python: where time and memory go, line by line.", 0);
    add_heading(&line, "commands:");
    for (const struct command *const *command = commands; *command; command++) {
        if (!(*command)->is_internal) {
            add_spaces(&line, 2);
            add_piece(&line, SGR_COMMAND, (*command)->name);
            add_meaning(&line, (*command)->summary);
        }
    }
    add_heading(&line, "options:");
    add_options(&line, &command_options, OPTION_BASIC);
    add_heading(&line, "examples:");
    add_example(&line, "scalene run prog.py", "profile prog.py");
    add_example(&line, "scalene run --cpu-only -m mod", "profile a module's CPU time");
    add_example(&line, "scalene view --cli", "show the profile in the terminal");
    add_example(&line, "scalene run --help", "options of run");
}

void help_print(FILE *stream, const struct command *command, enum option_group group)
{
    struct screen screen = screen_of(stream);
    struct help_style style = {.has_color = screen.has_color, .width = screen.width};
    struct text out = {0};
    if (command) {
        help_add_command(&out, &style, command, group);
    } else {
        help_add_overview(&out, &style);
    }
    fputs(out.data, stream);
    text_clear(&out);
}
