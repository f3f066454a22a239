// SPDX-License-Identifier: Apache-2.0
#include "render/table.h"

#include <string.h>

#include "profile/source.h"
#include "render/sentence.h"

#define WIDTH_MEMORY 130
#define WIDTH_ALL    90
#define WIDTH_KINDS  70
#define WIDTH_TABLE  50

#define NUMBER_WIDTH 8

static const struct profile_times no_times;
static const struct profile_memory no_memory;

#define HOT_PART   0.33 // of all bytes allocated, or of the footprint at its peak
#define HOT_MIN_MB 1    // and at least so much

static void look_for_columns(struct table *table, const struct profile_file *file)
{
    double noticeable_s = profile_total_s(table->profile) * CELL_SMALL_PERCENT / 100;
    double noticeable_mb = table->profile->footprint.max_mb * CELL_SMALL_PERCENT / 100;
    double noticeable_copy_mb = table->profile->elapsed_s * CELL_COPY_MB_S;
    for (size_t i = 0; i < file->line_count; i++) {
        const struct profile_times *times = &file->lines[i].times;
        const struct profile_memory *memory = &file->lines[i].memory;
        table->has_memory |= memory->peak_mb > 0 && memory->peak_mb >= noticeable_mb;
        table->has_copy |= memory->copied_mb > 0 && memory->copied_mb >= noticeable_copy_mb;
        double wait_s = profile_times_wait_s(times);
        table->has_idle |= times->idle_s > 0 && times->idle_s >= noticeable_s;
        table->has_wait |= wait_s > 0 && wait_s >= noticeable_s;
    }
}

static void add_column(struct table *table, struct table_column column)
{
    table->columns[table->column_count++] = column;
}

static void add_memory_columns(struct table *table)
{
    bool has_room = table->canvas->width >= WIDTH_MEMORY;
    if (table->has_memory && has_room) {
        add_column(table, (struct table_column){"Memory", "Python ", 8, cell_memory_python});
        add_column(table, (struct table_column){"", "peak ", 8, cell_peak});
        add_column(table, (struct table_column){"", "timeline/% ", 16, cell_timeline});
    } else if (table->has_memory) {
        add_column(table, (struct table_column){"Memory", "peak ", 8, cell_peak});
    }
    if (table->has_copy && has_room) {
        add_column(table, (struct table_column){"Copy", "(MB/s) ", 8, cell_copy});
    }
}

static void choose_columns(struct table *table)
{
    size_t width = table->canvas->width;
    bool has_room_for_wait = width >= WIDTH_ALL || (width >= WIDTH_KINDS && !table->has_idle);
    table->is_missing_wait = table->has_wait && width >= WIDTH_TABLE && !has_room_for_wait;
    if (width >= WIDTH_KINDS) {
        add_column(table, (struct table_column){"Time", "Python ", 8, cell_python});
        add_column(table, (struct table_column){"", "native ", 7, cell_native});
        add_column(table, (struct table_column){"", "system ", 7, cell_system});
        if (table->has_idle) {
            add_column(table, (struct table_column){"", "idle ", 7, cell_idle});
        }
        if (table->has_wait && has_room_for_wait) {
            add_column(table, (struct table_column){"Wait", "seconds ", 9, cell_wait});
        }
        add_memory_columns(table);
    } else if (width >= WIDTH_TABLE) {
        add_column(table, (struct table_column){"", "Time ", 9, cell_sum});
        if (table->has_memory) {
            add_column(table, (struct table_column){"", "Memory ", 8, cell_peak});
        }
    }
}

void table_init(struct table *table, const struct profile *profile, struct canvas *canvas,
                bool is_reduced)
{
    *table = (struct table){.profile = profile, .canvas = canvas, .is_reduced = is_reduced};
    for (size_t i = 0; i < profile->file_count; i++) {
        look_for_columns(table, &profile->files[i]);
    }
    choose_columns(table);
}

// Columns of the terminal that stand left of the source text.
static size_t left_width(const struct table *table)
{
    size_t width = NUMBER_WIDTH;
    for (size_t i = 0; i < table->column_count; i++) {
        width += 1 + table->columns[i].width;
    }
    return width + (table->column_count > 0 ? 1 : 0);
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
    for (size_t i = 0; i < table->column_count; i++) {
        text_add(canvas->out, cross);
        paint_repeat(canvas, line, table->columns[i].width);
    }
    text_add(canvas->out, cross);
    paint_repeat(canvas, line, line[0] == ' ' ? 0 : source_width(table));
    paint_stop(canvas, PAINT_DIM);
    text_add_char(canvas->out, '\n');
}

static void add_group_heading(const struct table *table, const struct table_column *column)
{
    struct canvas *canvas = table->canvas;
    size_t len = strlen(column->group);
    paint_text(canvas, PAINT_DIM, paint_glyph(canvas, "╷", "|"));
    if (len > 0) {
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
    return table->columns[0].group[0] != '\0';
}

static void add_headings(const struct table *table, const char *file_name)
{
    struct canvas *canvas = table->canvas;
    if (has_groups(table)) {
        paint_repeat(canvas, " ", NUMBER_WIDTH);
        for (size_t i = 0; i < table->column_count; i++) {
            add_group_heading(table, &table->columns[i]);
        }
        paint_text(canvas, PAINT_DIM, paint_glyph(canvas, "╷", "|"));
        text_add_char(canvas->out, '\n');
    }
    const char *bar = paint_glyph(canvas, "│", "|");
    paint_right(canvas, PAINT_TITLE, "Line ", NUMBER_WIDTH);
    for (size_t i = 0; i < table->column_count; i++) {
        paint_text(canvas, PAINT_DIM, bar);
        paint_right(canvas, PAINT_TITLE, table->columns[i].name, table->columns[i].width);
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
    for (size_t i = 0; i < table->column_count; i++) {
        paint_text(table->canvas, PAINT_DIM, bar);
        table->columns[i].paint(table->canvas, row, table->columns[i].width);
    }
    if (table->column_count > 0) {
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
    if (row->memory->peak_mb > 0) {
        text_format(&text, "%sheld up to ", text.len > 0 ? "; " : "");
        sentence_short_size(&text, row->memory->peak_mb);
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
    if (table->column_count == 0 && row->is_active) {
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
                           .profile = table->profile};
    uint64_t known = map_get(&file->line_index, (uint64_t)number);
    row.total_s = profile_total_s(table->profile);
    if (known) {
        row.times = &file->lines[known - 1].times;
        row.memory = &file->lines[known - 1].memory;
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
    for (int number = 1; number <= last_number(file, source); number++) {
        struct cell_row row = row_of(table, file, source, number);
        bool is_shown =
            row.is_active || (!table->is_reduced && row.number <= (int)source->line_count);
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

void table_render(const struct table *table, const struct profile_file *file)
{
    struct source source = {0};
    if (file->source) {
        source_from_text(&source, file->source, strlen(file->source));
    }
    const char *slash = strrchr(file->path, '/');
    if (table->column_count > 0) {
        add_headings(table, slash ? slash + 1 : file->path);
    }
    add_rows(table, file, &source);
    if (table->column_count > 0) {
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

static bool has_kinds(const struct table *table)
{
    return table->canvas->width >= WIDTH_KINDS;
}

static bool is_one_time(const struct table *table)
{
    return table->column_count > 0 && !has_kinds(table);
}

static void add_memory_legend(const struct table *table, struct text *out)
{
    text_add(out, " Memory: the most that a line held at once");
    if (table->canvas->width >= WIDTH_MEMORY) {
        text_add(out, ", what it held over time, and its share of all bytes allocated.");
    } else {
        text_format(out, "; its timeline needs %d columns.", WIDTH_MEMORY);
    }
}

void table_legend(const struct table *table, struct text *out)
{
    bool is_original = table->profile->format_version == 0;
    text_format(out, "100%% is %s.", is_original ? "the elapsed time" : "CPU time plus idle time");
    if (is_one_time(table)) {
        text_add(out, " P: mostly Python, N native, S system, I idle.");
    }
    if (is_original) {
        text_add(out, " System includes waiting: this file does not tell them apart.");
    } else if (table->has_idle && has_kinds(table)) {
        text_add(out, " Idle: nothing ran, and the main thread waited on this line.");
    }
    if (table->is_missing_wait) {
        text_format(out, " Seconds waited need %d columns.", WIDTH_ALL);
    } else if (table->has_wait && has_kinds(table)) {
        text_add(out, " Seconds waited are those of all threads: ");
        add_wait_letters(table, out);
        text_add(out, ".");
    }
    if (table->has_memory && table->column_count > 0) {
        add_memory_legend(table, out);
    }
}
