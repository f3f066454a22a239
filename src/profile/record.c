// SPDX-License-Identifier: Apache-2.0
#include "profile/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/import.h"
#include "profile/leak_list.h"
#include "profile/member.h"
#include "profile/outline.h"
#include "profile/percent.h"
#include "profile/source.h"

#define SECOND_DECIMALS  9
#define PERCENT_DECIMALS 6
#define SAMPLE_TIMES_MAX 500
#define MB_DECIMALS      6
#define LISTED_MB        1 // a file that held as much at once is listed
#define NS_PER_S         1e9
#define COUNT_MAX        9e15 // whole numbers that every reader of JSON can have

static const struct profile_times no_times;
static const struct profile_memory no_memory;
static const struct profile_async no_async;
static const struct profile_gpu no_gpu;

bool record_is_listed(const struct profile *profile, const struct profile_file *file)
{
    struct profile_times times = percent_file_times(file);
    struct percent percent = percent_of(profile, &times);
    bool has_time = percent_sum(&percent) > 0;
    bool has_awaits = false;
    for (size_t i = 0; i < file->line_count && !has_awaits; i++) {
        has_awaits = file->lines[i].async.await_s > 0;
    }
    return (has_time && percent_sum(&percent) >= profile->cpu_percent_threshold) || has_awaits ||
           profile_times_wait_s(&times) > 0 || profile_file_held_mb(file) >= LISTED_MB;
}

void record_write_points(struct writer *writer, const char *key, const struct profile_point *points,
                         size_t count)
{
    writer_key(writer, key);
    writer_begin_list(writer);
    for (size_t i = 0; i < count; i++) {
        writer_begin_list(writer);
        writer_integer(writer, llround(points[i].t_s * NS_PER_S));
        writer_real(writer, points[i].mb, MB_DECIMALS);
        writer_end_list(writer);
    }
    writer_end_list(writer);
}

// The kind whose name comes next in the order of the alphabet.
static int next_wait(const char *last)
{
    int next = -1;
    for (int kind = 0; kind < PROFILE_WAIT_COUNT; kind++) {
        const char *name = profile_wait_names[kind];
        if (strcmp(name, last) > 0 && (next < 0 || strcmp(name, profile_wait_names[next]) < 0)) {
            next = kind;
        }
    }
    return next;
}

void record_write_waits(struct writer *writer, const struct profile_times *times)
{
    writer_begin_object(writer);
    if (profile_times_wait_s(times) > 0) {
        for (int kind = next_wait(""); kind >= 0; kind = next_wait(profile_wait_names[kind])) {
            if (times->wait_s[kind] > 0) {
                member_real(writer, profile_wait_names[kind], times->wait_s[kind], SECOND_DECIMALS);
            }
        }
    }
    writer_end_object(writer);
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

static void write_sample_times(struct writer *writer, const double *times_s, size_t count)
{
    writer_key(writer, "cpu_samples_list");
    writer_begin_list(writer);
    if (count > 0) {
        double *sorted = mem_alloc(count * sizeof *sorted);
        memcpy(sorted, times_s, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, compare_doubles);
        size_t step = (count + SAMPLE_TIMES_MAX - 1) / SAMPLE_TIMES_MAX;
        for (size_t i = 0; i < count; i += step) {
            writer_real(writer, sorted[i], SECOND_DECIMALS);
        }
        free(sorted);
    }
    writer_end_list(writer);
}

// The original escapes what would matter inside a script element of a page; its viewers undo it.
static void write_source_text(struct writer *writer, const char *text, size_t len)
{
    struct text escaped = {0};
    for (size_t i = 0; i < len; i++) {
        switch (text[i]) {
        case '&':
            text_add(&escaped, "\\u0026");
            break;
        case '<':
            text_add(&escaped, "\\u003c");
            break;
        case '>':
            text_add(&escaped, "\\u003e");
            break;
        default:
            text_add_char(&escaped, text[i]);
        }
    }
    writer_text_bytes(writer, escaped.data ? escaped.data : "", escaped.len);
    text_clear(&escaped);
}

// What a record of a line or a function is made of.
struct subject {
    const struct profile_times *times;
    const struct profile_memory *memory;
    const struct profile_async *async;
    const struct profile_gpu *gpu;
    const double *sample_times_s;
    size_t sample_time_count;
    const char *text; // source line, or name
    size_t text_len;
    int number;
    const struct outline_place *place; // NULL: a function
};

static void write_cpu(struct writer *writer, const struct subject *subject)
{
    member_real(writer, "cpu_native_s", subject->times->native_s, SECOND_DECIMALS);
    member_real(writer, "cpu_python_s", subject->times->python_s, SECOND_DECIMALS);
    write_sample_times(writer, subject->sample_times_s, subject->sample_time_count);
    member_real(writer, "cpu_system_s", subject->times->system_s, SECOND_DECIMALS);
}

static double core_utilization(const struct profile_times *times)
{
    if (!(times->sample_count > 0)) {
        return 0;
    }
    return fmax(0, fmin(1, times->utilization_sum / times->sample_count));
}

// At least one, if there is anything: a count of none beside a number of bytes would be a riddle.
static int64_t allocation_count(const struct profile_memory *memory)
{
    double count = fmin(memory->alloc_count, COUNT_MAX);
    return memory->allocated_mb > 0 && count < 1 ? 1 : llround(count);
}

static double python_fraction(const struct profile_memory *memory)
{
    return memory->allocated_mb > 0 ? fmin(1, memory->python_mb / memory->allocated_mb) : 0;
}

static void write_mb(struct writer *writer, const char *key, double mb)
{
    member_real(writer, key, mb, MB_DECIMALS);
}

// The names beginning with n_, in order: shares, memory, accelerators.
static void write_numbers(struct writer *writer, const struct profile *profile,
                          const struct percent *percent, const struct subject *subject)
{
    const struct profile_memory *memory = subject->memory;
    double copied_mb_s = profile->elapsed_s > 0 ? memory->copied_mb / profile->elapsed_s : 0;
    const struct profile_async *async = subject->async;
    double await_part = profile->await_s > 0 ? fmin(1, async->await_s / profile->await_s) : 0;
    member_real(writer, "n_async_await_percent", 100 * await_part, PERCENT_DECIMALS);
    member_real(writer, "n_async_concurrency_mean", profile_async_mean(async), PERCENT_DECIMALS);
    member_real(writer, "n_async_concurrency_peak", async->peak, 1);
    write_mb(writer, "n_avg_mb", fmin(memory->average_mb, memory->peak_mb));
    write_mb(writer, "n_copy_mb_s", copied_mb_s);
    member_real(writer, "n_core_utilization", core_utilization(subject->times), PERCENT_DECIMALS);
    member_real(writer, "n_cpu_percent_c", percent->native, PERCENT_DECIMALS);
    member_real(writer, "n_cpu_percent_python", percent->python, PERCENT_DECIMALS);
    write_mb(writer, "n_gpu_avg_memory_mb", profile_gpu_average_mb(subject->gpu));
    write_mb(writer, "n_gpu_peak_memory_mb", subject->gpu->peak_mb);
    member_real(writer, "n_gpu_percent", profile_gpu_percent(subject->gpu), PERCENT_DECIMALS);
    write_mb(writer, "n_growth_mb", memory->peak_mb);
    write_mb(writer, "n_malloc_mb", memory->allocated_mb);
    member_integer(writer, "n_mallocs", allocation_count(memory));
    write_mb(writer, "n_peak_mb", memory->peak_mb);
    member_real(writer, "n_python_fraction", python_fraction(memory), PERCENT_DECIMALS);
    member_real(writer, "n_sys_percent", percent->system + percent->idle, PERCENT_DECIMALS);
    member_real(writer, "n_usage_fraction", fmin(1, memory->usage_fraction), PERCENT_DECIMALS);
}

static void write_record(struct writer *writer, const struct profile *profile,
                         const struct subject *subject)
{
    struct percent percent = percent_of(profile, subject->times);
    const struct outline_place *place = subject->place;
    writer_begin_object(writer);
    member_integer(writer, "alloc_count", allocation_count(subject->memory));
    write_mb(writer, "alloc_error_mb", subject->memory->error_mb);
    member_texts(writer, "async_task_names", subject->async->task_names,
                 subject->async->task_name_count);
    member_real(writer, "await_s", subject->async->await_s, SECOND_DECIMALS);
    member_real(writer, "await_work_s", subject->async->work_s, SECOND_DECIMALS);
    write_mb(writer, "copy_mb", subject->memory->copied_mb);
    write_cpu(writer, subject);
    if (place) {
        member_integer(writer, "end_function_line", place->function.last);
        member_integer(writer, "end_outermost_loop", place->outermost_loop.last);
        member_integer(writer, "end_region_line", place->region.last);
    }
    member_real(writer, "error_percent", percent.error, PERCENT_DECIMALS);
    if (subject->gpu->seen_s > 0) {
        member_real(writer, "gpu_busy_s", subject->gpu->busy_s, SECOND_DECIMALS);
        member_real(writer, "gpu_seen_s", subject->gpu->seen_s, SECOND_DECIMALS);
    }
    writer_key(writer, "is_coroutine");
    writer_bool(writer, subject->async->is_coroutine);
    writer_key(writer, "line");
    write_source_text(writer, subject->text, subject->text_len);
    member_integer(writer, "lineno", subject->number);
    write_mb(writer, "live_at_end_mb", subject->memory->at_end_mb);
    write_mb(writer, "live_at_peak_mb", subject->memory->at_peak_mb);
    write_mb(writer, "live_error_mb", subject->memory->live_error_mb);
    record_write_points(writer, "memory_samples", subject->memory->points,
                        subject->memory->point_count);
    write_numbers(writer, profile, &percent, subject);
    if (place) {
        member_integer(writer, "start_function_line", place->function.first);
        member_integer(writer, "start_outermost_loop", place->outermost_loop.first);
        member_integer(writer, "start_region_line", place->region.first);
    }
    writer_key(writer, "wait_s");
    record_write_waits(writer, subject->times);
    writer_end_object(writer);
}

static int last_line(const struct profile_file *file, const struct source *source)
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

static void write_lines(struct writer *writer, const struct profile *profile,
                        const struct profile_file *file, const struct source *source,
                        const struct outline *outline)
{
    writer_key(writer, "lines");
    writer_begin_list(writer);
    int count = last_line(file, source);
    for (int number = 1; number <= count; number++) {
        uint64_t known = map_get(&file->line_index, (uint64_t)number);
        struct outline_place place = outline_find(outline, number);
        struct subject subject = {.times = &no_times,
                                  .memory = &no_memory,
                                  .async = &no_async,
                                  .gpu = &no_gpu,
                                  .text = "",
                                  .number = number,
                                  .place = &place};
        if ((size_t)number <= source->line_count) {
            subject.text = source->lines[number - 1].text;
            subject.text_len = source->lines[number - 1].len;
        }
        if (known) {
            const struct profile_line *line = &file->lines[known - 1];
            subject.times = &line->times;
            subject.memory = &line->memory;
            subject.async = &line->async;
            subject.gpu = &line->gpu;
            subject.sample_times_s = line->sample_times_s;
            subject.sample_time_count = line->sample_time_count;
        }
        write_record(writer, profile, &subject);
    }
    writer_end_list(writer);
}

static int compare_functions(const void *left, const void *right)
{
    const struct profile_function *a = left;
    const struct profile_function *b = right;
    if (a->first_line != b->first_line) {
        return a->first_line < b->first_line ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}

// Code that has no name of its own is told by the function it stands in, as the original does;
// that of the module is told by the lines alone.
static void add_function(struct profile_file *sums, const struct profile_function *function,
                         const struct outline *outline)
{
    const char *dot = strrchr(function->name, '.');
    const char *own_name = dot ? dot + 1 : function->name;
    if (own_name[0] != '<') {
        struct profile_function *sum = profile_function(sums, function->name, function->first_line);
        profile_times_add(&sum->times, &function->times);
        profile_memory_add(&sum->memory, &function->memory);
        profile_async_add(&sum->async, &function->async);
        profile_gpu_add(&sum->gpu, &function->gpu);
        return;
    }
    int first_line;
    char *name = outline_enclosing_function(outline, function->first_line, &first_line);
    if (name) {
        struct profile_function *sum = profile_function(sums, name, first_line);
        profile_times_add(&sum->times, &function->times);
        profile_memory_add(&sum->memory, &function->memory);
        profile_async_add(&sum->async, &function->async);
        profile_gpu_add(&sum->gpu, &function->gpu);
        free(name);
    }
}

static void write_functions(struct writer *writer, const struct profile *profile,
                            const struct profile_file *file, const struct outline *outline)
{
    struct profile *scratch = profile_new();
    struct profile_file *sums = profile_file(scratch, file->path);
    for (size_t i = 0; i < file->function_count; i++) {
        add_function(sums, &file->functions[i], outline);
    }
    if (sums->function_count > 0) {
        qsort(sums->functions, sums->function_count, sizeof *sums->functions, compare_functions);
    }
    writer_key(writer, "functions");
    writer_begin_list(writer);
    for (size_t i = 0; i < sums->function_count; i++) {
        const struct profile_function *function = &sums->functions[i];
        write_record(writer, profile,
                     &(struct subject){.times = &function->times,
                                       .memory = &function->memory,
                                       .async = &function->async,
                                       .gpu = &function->gpu,
                                       .text = function->name,
                                       .text_len = strlen(function->name),
                                       .number = function->first_line});
    }
    writer_end_list(writer);
    profile_free(scratch);
}

void record_write_file(struct writer *writer, const struct profile *profile,
                       const struct profile_file *file)
{
    struct source source = {0};
    if (file->source) {
        source_from_text(&source, file->source, strlen(file->source));
    } else {
        source_from_path(&source, file->path);
    }
    struct outline *outline = outline_new(&source);
    struct profile_times times = percent_file_times(file);
    struct percent percent = percent_of(profile, &times);
    writer_begin_object(writer);
    write_functions(writer, profile, file, outline);
    writer_key(writer, "imports");
    import_write_native(writer, &source);
    leak_list_write(writer, file);
    write_lines(writer, profile, file, &source, outline);
    member_real(writer, "percent_cpu_time", fmin(100, percent_sum(&percent)), PERCENT_DECIMALS);
    writer_end_object(writer);
    outline_free(outline);
    source_clear(&source);
}
