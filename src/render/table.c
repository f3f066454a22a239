// SPDX-License-Identifier: Apache-2.0
#include "render/table.h"

#include <stdlib.h>
#include <string.h>

#include "profile/amount.h"
#include "profile/source.h"
#include "render/sentence.h"

#define NUMBER_WIDTH 8

static const struct profile_times no_times;
static const struct profile_memory no_memory;
static const struct profile_async no_async;
static const struct profile_gpu no_gpu;

#define HOT_PART   0.33 // of all bytes allocated, or of the footprint at its peak
#define HOT_MIN_MB 1    // and at least so much

void table_init(struct table *table, const struct profile *profile, struct canvas *canvas,
                const struct terminal_options *options)
{
    *table = (struct table){.profile = profile, .canvas = canvas, .options = options};
    column_choose(&table->set, profile, canvas, options);
}

// Columns of the terminal that stand left of the source text.
static size_t left_width(const struct table *table)
{
    size_t width = NUMBER_WIDTH;
    for (size_t i = 0; i < table->set.count; i++) {
        width += 1 + table->set.columns[i].width;
    }
    return width + (table->set.count > 0 ? 1 : 0);
}

static size_t source_width(const struct table *table)
{
    size_t left = left_width(table);
    return table->canvas->width > left ? table->canvas->width - left : 0;
}

static void add_rule(const struct table *table, const char *line, const char *cross)
{
    struct canvas *canvas = table->canvas;
    paint_start(canvas, PAINT_DIM);
    text_add_char(canvas->out, ' ');
    paint_repeat(canvas, line, NUMBER_WIDTH - 1);
    for (size_t i = 0; i < table->set.count; i++) {
        text_add(canvas->out, cross);
        paint_repeat(canvas, line, table->set.columns[i].width);
    }
    text_add(canvas->out, cross);
    paint_repeat(canvas, line, line[0] == ' ' ? 0 : source_width(table));
    paint_stop(canvas, PAINT_DIM);
    text_add_char(canvas->out, '\n');
}

static void add_group_heading(const struct table *table, size_t index)
{
    struct canvas *canvas = table->canvas;
    const struct column *column = &table->set.columns[index];
    bool is_first = index == 0 || strcmp(column[-1].group, column->group) != 0;
    size_t len = strlen(column->group);
    paint_text(canvas, PAINT_DIM, paint_glyph(canvas, "╷", "|"));
    if (is_first) {
        paint_text(canvas, PAINT_TITLE, column->group);
        paint_repeat(canvas, " ", column->width - len);
        return;
    }
    paint_start(canvas, PAINT_DIM);
    paint_repeat(canvas, paint_glyph(canvas, "–", "-"), column->width - 1);
    paint_stop(canvas, PAINT_DIM);
    text_add_char(canvas->out, ' ');
}

static bool has_groups(const struct table *table)
{
    return table->set.columns[0].group[0] != '\0';
}

static void add_headings(const struct table *table, const char *file_name)
{
    struct canvas *canvas = table->canvas;
    if (has_groups(table)) {
        paint_repeat(canvas, " ", NUMBER_WIDTH);
        for (size_t i = 0; i < table->set.count; i++) {
            add_group_heading(table, i);
        }
        paint_text(canvas, PAINT_DIM, paint_glyph(canvas, "╷", "|"));
        text_add_char(canvas->out, '\n');
    }
    const char *bar = paint_glyph(canvas, "│", "|");
    paint_right(canvas, PAINT_TITLE, "Line ", NUMBER_WIDTH);
    for (size_t i = 0; i < table->set.count; i++) {
        paint_text(canvas, PAINT_DIM, bar);
        paint_right(canvas, PAINT_TITLE, table->set.columns[i].name, table->set.columns[i].width);
    }
    paint_text(canvas, PAINT_DIM, bar);
    paint_start(canvas, PAINT_TITLE);
    paint_clipped(canvas, file_name, strlen(file_name), source_width(table));
    paint_stop(canvas, PAINT_TITLE);
    text_add_char(canvas->out, '\n');
    add_rule(table, paint_glyph(canvas, "━", "="), paint_glyph(canvas, "┿", "+"));
}

static void add_cells(const struct table *table, const struct cell_row *row)
{
    const char *bar = paint_glyph(table->canvas, "│", "|");
    for (size_t i = 0; i < table->set.count; i++) {
        paint_text(table->canvas, PAINT_DIM, bar);
        table->set.columns[i].paint(table->canvas, row, table->set.columns[i].width);
    }
    if (table->set.count > 0) {
        paint_text(table->canvas, PAINT_DIM, bar);
    }
}

// Too narrow for columns: what there is to say stands below the source.
static void add_words(const struct table *table, const struct cell_row *row)
{
    struct text text = {0};
    struct text waits = {0};
    sentence_shares(&text, table->profile, row->times);
    sentence_waits(&waits, row->times);
    if (waits.len > 0) {
        text_format(&text, "%swaited %s", text.len > 0 ? "; " : "", waits.data);
    }
    if (row->async->await_s > 0) {
        text_format(&text, "%stasks awaited ", text.len > 0 ? "; " : "");
        amount_duration(&text, row->async->await_s);
    }
    if (row->memory->peak_mb > 0) {
        text_format(&text, "%sheld up to ", text.len > 0 ? "; " : "");
        amount_size(&text, row->memory->peak_mb);
    }
    if (text.len > 0) {
        paint_repeat(table->canvas, " ", NUMBER_WIDTH);
        paint_wrapped(table->canvas, row->is_hot ? PAINT_HOT : PAINT_DIM, text.data, NUMBER_WIDTH,
                      NUMBER_WIDTH);
    }
    text_clear(&waits);
    text_clear(&text);
}

static void add_row(const struct table *table, const struct cell_row *row)
{
    cell_number(table->canvas, row, NUMBER_WIDTH);
    add_cells(table, row);
    cell_source(table->canvas, row, source_width(table));
    if (table->set.count == 0 && row->is_active) {
        add_words(table, row);
    }
}

static bool is_memory_hot(const struct table *table, const struct profile_memory *memory)
{
    double held_mb = table->profile->footprint.max_mb * HOT_PART;
    return memory->allocated_mb >= HOT_MIN_MB &&
           (memory->usage_fraction >= HOT_PART || memory->at_peak_mb >= held_mb);
}

static struct cell_row row_of(const struct table *table, const struct profile_file *file,
                              const struct source *source, int number)
{
    struct cell_row row = {.number = number,
                           .text = "",
                           .times = &no_times,
                           .memory = &no_memory,
                           .async = &no_async,
                           .gpu = &no_gpu,
                           .profile = table->profile,
                           .has_seconds = table->options->has_seconds};
    uint64_t known = map_get(&file->line_index, (uint64_t)number);
    row.total_s = profile_total_s(table->profile);
    if (known) {
        row.times = &file->lines[known - 1].times;
        row.memory = &file->lines[known - 1].memory;
        row.async = &file->lines[known - 1].async;
        row.gpu = &file->lines[known - 1].gpu;
        row.percent = percent_of(table->profile, row.times);
        row.is_active = true;
        row.is_hot =
            percent_sum(&row.percent) >= CELL_HOT_PERCENT || is_memory_hot(table, row.memory);
    }
    if ((size_t)number <= source->line_count) {
        const struct source_line *line = &source->lines[number - 1];
        row.text = line->text;
        row.len = line->len;
        while (row.len > 0 && strchr("\r\n", row.text[row.len - 1])) {
            row.len--;
        }
    }
    return row;
}

static int last_number(const struct profile_file *file, const struct source *source)
{
    int last = (int)source->line_count;
    for (size_t i = 0; i < file->line_count; i++) {
        int number = file->lines[i].number;
        if (number > last && number <= PROFILE_LINE_MAX) {
            last = number;
        }
    }
    return last;
}

static void add_gap(const struct table *table)
{
    paint_right(table->canvas, PAINT_DIM, paint_glyph(table->canvas, "⋮", ":"), NUMBER_WIDTH - 1);
    text_add_char(table->canvas->out, '\n');
}

static void add_rows(const struct table *table, const struct profile_file *file,
                     const struct source *source)
{
    bool has_gap = false;
    bool has_rows = false;
    int last = last_number(file, source);
    for (int number = 1; number <= last; number++) {
        struct cell_row row = row_of(table, file, source, number);
        bool is_shown =
            row.is_active || (!table->options->is_reduced && row.number <= (int)source->line_count);
        if (!is_shown) {
            has_gap = true;
            continue;
        }
        if (has_gap && has_rows) {
            add_gap(table);
        }
        add_row(table, &row);
        has_rows = true;
        has_gap = false;
    }
}

// The heaviest lines, one below the other.
static void add_ranking(const struct table *table, const struct profile_file *file,
                        const struct source *source)
{
    size_t count;
    const struct profile_line **lines =
        order_lines(file, table->options->key, table->options->row_max, &count);
    for (size_t i = 0; i < count; i++) {
        struct cell_row row = row_of(table, file, source, lines[i]->number);
        add_row(table, &row);
    }
    free(lines);
}

void table_render(const struct table *table, const struct profile_file *file)
{
    struct source source = {0};
    if (file->source) {
        source_from_text(&source, file->source, strlen(file->source));
    }
    const char *slash = strrchr(file->path, '/');
    if (table->set.count > 0) {
        add_headings(table, slash ? slash + 1 : file->path);
    }
    if (table->options->key != ORDER_line || table->options->row_max > 0) {
        add_ranking(table, file, &source);
    } else {
        add_rows(table, file, &source);
    }
    if (table->set.count > 0) {
        add_rule(table, " ", paint_glyph(table->canvas, "╵", "|"));
    }
    source_clear(&source);
}

static void add_wait_letters(const struct table *table, struct text *out)
{
    bool is_first = true;
    for (int kind = 0; kind < PROFILE_WAIT_COUNT; kind++) {
        bool occurs = false;
        for (size_t i = 0; i < table->profile->file_count && !occurs; i++) {
            struct profile_times times = percent_file_times(&table->profile->files[i]);
            occurs = times.wait_s[kind] > 0;
        }
        if (occurs) {
            text_format(out, "%s%c %s", is_first ? "" : ", ",
                        sentence_wait_letter((enum profile_wait)kind),
                        sentence_wait((enum profile_wait)kind));
            is_first = false;
        }
    }
}

static void add_time_legend(const struct table *table, struct text *out)
{
    const struct column_set *set = &table->set;
    bool is_original = table->profile->format_version == 0;
    text_format(out, "100%% is %s.", is_original ? "the elapsed time" : "CPU time plus idle time");
    if (column_is_shown(set, cell_error)) {
        text_format(out, " %s: half the width of the 95%% interval, in %s.",
                    table->canvas->is_utf8 ? "±" : "+/-",
                    table->options->has_seconds ? "seconds" : "points");
    }
    if (column_is_shown(set, cell_sum)) {
        text_add(out, " P: mostly Python, N native, S system, I idle.");
    }
    if (is_original) {
        text_add(out, " System includes waiting: this file does not tell them apart.");
    } else if (column_is_shown(set, cell_idle)) {
        text_add(out, " Idle: nothing ran, and the main thread waited on this line.");
    }
}

void table_legend(const struct table *table, struct text *out)
{
    const struct column_set *set = &table->set;
    add_time_legend(table, out);
    if (column_is_shown(set, cell_wait)) {
        text_add(out, " Seconds waited are those of all threads: ");
        add_wait_letters(table, out);
        text_add(out, ".");
    }
    if (column_is_shown(set, cell_gpu)) {
        text_format(out,
                    " GPU: how busy it was%s while a thread was on the line, wherever its work was "
                    "started; waiting for it is among the seconds waited.",
                    table->profile->gpus.is_device_wide ? " with all its processes" : "");
    }
    if (column_is_shown(set, cell_await)) {
        text_add(out, " Await: what tasks waited there, of all that tasks waited.");
    }
    if (column_is_shown(set, cell_peak)) {
        text_add(out, " Memory: the most that a line held at once");
        text_add(out, column_is_shown(set, cell_timeline)
                          ? ", what it held over time, and its share of all bytes allocated."
                          : ".");
    }
    column_say_missing(set, table->canvas->width, out);
}
