// SPDX-License-Identifier: Apache-2.0
// Lines and functions of the viewer form.

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/outline.h"
#include "profile/percent.h"
#include "profile/source.h"
#include "render/viewer_part.h"

#define ROW_MAX          200000 // of lines, and of functions
#define POINT_MAX        200000 // of all lines
#define SECOND_DECIMALS  6
#define PERCENT_DECIMALS 4
#define MB_DECIMALS      4
#define PART_DECIMALS    3

// What a row has of its own; the rest is in the profile.
struct row {
    const struct profile_times *times;
    const struct profile_memory *memory;
    const struct profile_async *async;
    const struct profile_leak *leak; // NULL: a function
    const struct profile_gpu *gpu;
    double file;
    double number;
    double name;
    double error_percent;
    double idle_s;
    double utilization;
    double await_concurrency;
    double loop_block_count;
    double gpu_average_mb;
    double gpu_peak_mb;
    double gpu_percent;
    double function_first;
    double function_last;
    double loop_first;
    double loop_last;
    double region_first;
    double region_last;
    double statement_first;
    double statement_last;
    double series_start;
    double series_count;
};

struct row_list {
    const struct profile *profile;
    struct row *rows;
    size_t count;
    size_t capacity;
    size_t point_count;
};

enum column_home {
    IN_ROW,
    IN_TIMES,
    IN_MEMORY,
    IN_ASYNC,
    IN_LEAK,
};

// Where a column makes sense.
enum column_use {
    ALL = 0,
    LINES = 1,
    FUNCTIONS = 2,
    MEMORY = 4,
    OURS = 8,  // not in what the original writes
    RARE = 16, // only if some row has one
};

struct column {
    const char *name;
    enum column_home home;
    size_t offset; // of a double
    int decimals;
    unsigned use;
};

#define ROW(field)   IN_ROW, offsetof(struct row, field)
#define TIME(field)  IN_TIMES, offsetof(struct profile_times, field)
#define BYTES(field) IN_MEMORY, offsetof(struct profile_memory, field)
#define AWAIT(field) IN_ASYNC, offsetof(struct profile_async, field)
#define LEAK(field)  IN_LEAK, offsetof(struct profile_leak, field)

// By name: that is the order in which they are written.
// clang-format off
static const struct column columns[] = {
    {"alloc_count", BYTES(alloc_count), 0, MEMORY | OURS},
    {"alloc_error_mb", BYTES(error_mb), MB_DECIMALS, MEMORY | OURS},
    {"allocated_mb", BYTES(allocated_mb), MB_DECIMALS, MEMORY},
    {"at_end_mb", BYTES(at_end_mb), MB_DECIMALS, MEMORY | OURS},
    {"at_peak_mb", BYTES(at_peak_mb), MB_DECIMALS, MEMORY | OURS},
    {"average_mb", BYTES(average_mb), MB_DECIMALS, MEMORY},
    {"await_concurrency", ROW(await_concurrency), PART_DECIMALS, RARE},
    {"await_peak", AWAIT(peak), 0, RARE},
    {"await_s", AWAIT(await_s), SECOND_DECIMALS, RARE},
    {"copied_mb", BYTES(copied_mb), MB_DECIMALS, MEMORY},
    {"error_percent", ROW(error_percent), PERCENT_DECIMALS, OURS},
    {"file", ROW(file), 0, ALL},
    {"first_line", ROW(number), 0, FUNCTIONS},
    {"function_first", ROW(function_first), 0, LINES},
    {"function_last", ROW(function_last), 0, LINES},
    {"gpu_average_mb", ROW(gpu_average_mb), MB_DECIMALS, RARE},
    {"gpu_peak_mb", ROW(gpu_peak_mb), MB_DECIMALS, RARE},
    {"gpu_percent", ROW(gpu_percent), PERCENT_DECIMALS, RARE},
    {"idle_s", ROW(idle_s), SECOND_DECIMALS, ALL},
    {"leak_likelihood", LEAK(likelihood), PART_DECIMALS, LINES | MEMORY},
    {"leak_mb_s", LEAK(velocity_mb_s), MB_DECIMALS, LINES | MEMORY},
    {"live_error_mb", BYTES(live_error_mb), MB_DECIMALS, MEMORY | OURS},
    {"loop_block_count", ROW(loop_block_count), 0, LINES | RARE},
    {"loop_block_longest_s", AWAIT(block_longest_s), SECOND_DECIMALS, LINES | RARE},
    {"loop_block_s", AWAIT(block_s), SECOND_DECIMALS, LINES | RARE},
    {"loop_first", ROW(loop_first), 0, LINES},
    {"loop_last", ROW(loop_last), 0, LINES},
    {"name", ROW(name), 0, FUNCTIONS},
    {"native_s", TIME(native_s), SECOND_DECIMALS, ALL},
    {"number", ROW(number), 0, LINES},
    {"peak_mb", BYTES(peak_mb), MB_DECIMALS, MEMORY},
    {"python_mb", BYTES(python_mb), MB_DECIMALS, MEMORY},
    {"python_s", TIME(python_s), SECOND_DECIMALS, ALL},
    {"region_first", ROW(region_first), 0, LINES},
    {"region_last", ROW(region_last), 0, LINES},
    {"series_count", ROW(series_count), 0, LINES | MEMORY},
    {"series_start", ROW(series_start), 0, LINES | MEMORY},
    {"statement_first", ROW(statement_first), 0, LINES},
    {"statement_last", ROW(statement_last), 0, LINES},
    {"system_s", TIME(system_s), SECOND_DECIMALS, ALL},
    {"utilization", ROW(utilization), PART_DECIMALS, ALL},
    {"wait_child_s", TIME(wait_s[PROFILE_WAIT_child]), SECOND_DECIMALS, RARE},
    {"wait_disk_s", TIME(wait_s[PROFILE_WAIT_disk]), SECOND_DECIMALS, RARE},
    {"wait_gil_s", TIME(wait_s[PROFILE_WAIT_gil]), SECOND_DECIMALS, RARE},
    {"wait_gpu_s", TIME(wait_s[PROFILE_WAIT_gpu]), SECOND_DECIMALS, RARE},
    {"wait_lock_s", TIME(wait_s[PROFILE_WAIT_lock]), SECOND_DECIMALS, RARE},
    {"wait_network_s", TIME(wait_s[PROFILE_WAIT_network]), SECOND_DECIMALS, RARE},
    {"wait_other_s", TIME(wait_s[PROFILE_WAIT_other]), SECOND_DECIMALS, RARE},
    {"wait_pipe_s", TIME(wait_s[PROFILE_WAIT_pipe]), SECOND_DECIMALS, RARE},
    {"wait_sleep_s", TIME(wait_s[PROFILE_WAIT_sleep]), SECOND_DECIMALS, RARE},
};

// clang-format on

static double value_of(const struct row *row, const struct column *column)
{
    const void *const homes[] = {row, row->times, row->memory, row->async, row->leak};
    double value;
    memcpy(&value, (const char *)homes[column->home] + column->offset, sizeof value);
    return value;
}

static void add_row(struct row_list *list, struct row row)
{
    const struct profile_times *times = row.times;
    if (list->count == ROW_MAX) {
        return;
    }
    bool has_points = row.leak && list->point_count + row.memory->point_count <= POINT_MAX;
    row.error_percent = percent_of(list->profile, times).error;
    row.idle_s = list->profile->has_virtual_time ? 0 : times->idle_s;
    row.utilization = times->sample_count > 0 ? times->utilization_sum / times->sample_count : 0;
    row.await_concurrency = profile_async_mean(row.async);
    row.loop_block_count = (double)row.async->block_count;
    row.gpu_average_mb = profile_gpu_average_mb(row.gpu);
    row.gpu_peak_mb = row.gpu->peak_mb;
    row.gpu_percent = profile_gpu_percent(row.gpu);
    row.series_start = (double)list->point_count;
    row.series_count = has_points ? (double)row.memory->point_count : 0;
    list->point_count += (size_t)row.series_count;
    list->rows = mem_grow(list->rows, list->count, &list->capacity, sizeof *list->rows);
    list->rows[list->count++] = row;
}

static bool is_written(const struct profile *profile, const struct column *column,
                       unsigned excluded)
{
    return !(column->use & excluded) && (!(column->use & MEMORY) || profile->has_memory) &&
           (!(column->use & OURS) || profile->format_version > 0);
}

static void write_column(struct viewer *viewer, const struct row_list *list,
                         const struct column *column)
{
    writer_key(viewer->writer, column->name);
    writer_begin_list(viewer->writer);
    for (size_t i = 0; i < list->count; i++) {
        viewer_number(viewer, value_of(&list->rows[i], column), column->decimals);
    }
    writer_end_list(viewer->writer);
}

static bool has_any(const struct row_list *list, const struct column *column)
{
    for (size_t i = 0; i < list->count; i++) {
        if (value_of(&list->rows[i], column) > 0) {
            return true;
        }
    }
    return false;
}

static void write_rows(struct viewer *viewer, const struct row_list *list, unsigned excluded)
{
    writer_begin_object(viewer->writer);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        if (is_written(viewer->profile, &columns[i], excluded) &&
            (!(columns[i].use & RARE) || has_any(list, &columns[i]))) {
            write_column(viewer, list, &columns[i]);
        }
    }
    writer_end_object(viewer->writer);
}

static int compare_lines(const void *left, const void *right)
{
    const struct profile_line *a = *(const struct profile_line *const *)left;
    const struct profile_line *b = *(const struct profile_line *const *)right;
    return (a->number > b->number) - (a->number < b->number);
}

// The function and the regions a line stands in; where there is none, the line itself.
static struct row line_row(const struct profile_line *line, struct outline_place place, size_t file)
{
    bool has_function = place.function.first > 0;
    return (struct row){
        .times = &line->times,
        .memory = &line->memory,
        .async = &line->async,
        .leak = &line->leak,
        .gpu = &line->gpu,
        .file = (double)file,
        .number = line->number,
        .function_first = has_function ? place.function.first : line->number,
        .function_last = has_function ? place.function.last : line->number,
        .loop_first = place.outermost_loop.first,
        .loop_last = place.outermost_loop.last,
        .region_first = place.region.first,
        .region_last = place.region.last,
        .statement_first = place.statement.first,
        .statement_last = place.statement.last,
    };
}

static void add_lines(struct row_list *list, const struct profile_file *file, size_t index)
{
    struct source source = {0};
    source_from_text(&source, file->source ? file->source : "",
                     file->source ? strlen(file->source) : 0);
    struct outline *outline = outline_new(&source);
    const struct profile_line **lines = mem_alloc((file->line_count + 1) * sizeof *lines);
    for (size_t i = 0; i < file->line_count; i++) {
        lines[i] = &file->lines[i];
    }
    qsort(lines, file->line_count, sizeof *lines, compare_lines);
    for (size_t i = 0; i < file->line_count; i++) {
        add_row(list, line_row(lines[i], outline_find(outline, lines[i]->number), index));
    }
    free(lines);
    outline_free(outline);
    source_clear(&source);
}

static struct row_list lines_of(const struct viewer *viewer)
{
    struct row_list list = {.profile = viewer->profile};
    for (size_t i = 0; i < viewer->profile->file_count; i++) {
        add_lines(&list, &viewer->profile->files[viewer->files[i]], i);
    }
    return list;
}

void viewer_write_lines(struct viewer *viewer)
{
    struct row_list list = lines_of(viewer);
    writer_key(viewer->writer, "lines");
    write_rows(viewer, &list, FUNCTIONS);
    free(list.rows);
}

static void write_points(struct viewer *viewer, const struct row_list *list, bool is_time)
{
    writer_key(viewer->writer, is_time ? "t_s" : "mb");
    writer_begin_list(viewer->writer);
    for (size_t i = 0; i < list->count; i++) {
        for (size_t j = 0; j < (size_t)list->rows[i].series_count; j++) {
            const struct profile_point *point = &list->rows[i].memory->points[j];
            writer_real(viewer->writer, is_time ? point->t_s : point->mb, MB_DECIMALS);
        }
    }
    writer_end_list(viewer->writer);
}

void viewer_write_series(struct viewer *viewer)
{
    struct row_list list = lines_of(viewer);
    writer_key(viewer->writer, "series");
    writer_begin_object(viewer->writer);
    write_points(viewer, &list, false);
    write_points(viewer, &list, true);
    writer_end_object(viewer->writer);
    free(list.rows);
}

static int compare_functions(const void *left, const void *right)
{
    const struct profile_function *a = *(const struct profile_function *const *)left;
    const struct profile_function *b = *(const struct profile_function *const *)right;
    return a->first_line != b->first_line ? (a->first_line > b->first_line ? 1 : -1)
                                          : strcmp(a->name, b->name);
}

static void add_functions(struct viewer *viewer, struct row_list *list,
                          const struct profile_file *file, size_t index)
{
    const struct profile_function **all = mem_alloc((file->function_count + 1) * sizeof *all);
    for (size_t i = 0; i < file->function_count; i++) {
        all[i] = &file->functions[i];
    }
    qsort(all, file->function_count, sizeof *all, compare_functions);
    for (size_t i = 0; i < file->function_count; i++) {
        add_row(list, (struct row){.times = &all[i]->times,
                                   .memory = &all[i]->memory,
                                   .async = &all[i]->async,
                                   .gpu = &all[i]->gpu,
                                   .file = (double)index,
                                   .number = all[i]->first_line,
                                   .name = viewer_string(viewer, all[i]->name)});
    }
    free(all);
}

void viewer_write_functions(struct viewer *viewer)
{
    struct row_list list = {.profile = viewer->profile};
    for (size_t i = 0; i < viewer->profile->file_count; i++) {
        add_functions(viewer, &list, &viewer->profile->files[viewer->files[i]], i);
    }
    writer_key(viewer->writer, "functions");
    write_rows(viewer, &list, LINES);
    free(list.rows);
}
