// SPDX-License-Identifier: Apache-2.0
#include "render/column.h"

#include <stdint.h>

#define WIDTH_ALL      132
#define WIDTH_TIMELINE 110
#define WIDTH_KINDS    90
#define WIDTH_PEAK     70
#define WIDTH_TABLE    50

struct offer {
    struct column column;
    unsigned needs; // of enum column_fact
    size_t from;    // width of the terminal
    size_t below;
    const char *said; // what is missing where there is no room for it; NULL: another offer says it
};

#define ALWAYS 0
#define ANY    SIZE_MAX

// In the order in which they stand.
// clang-format off
static const struct offer offers[] = {
    {{"Time", "Python ", 8, cell_python}, ALWAYS, WIDTH_KINDS, ANY, "time by kind"},
    {{"Time", "native ", 7, cell_native}, ALWAYS, WIDTH_KINDS, ANY, NULL},
    {{"Time", "system ", 7, cell_system}, ALWAYS, WIDTH_KINDS, ANY, NULL},
    {{"Time", "idle ", 7, cell_idle}, COLUMN_IDLE, WIDTH_KINDS, ANY, NULL},
    {{"", "Time ", 9, cell_sum}, ALWAYS, WIDTH_TABLE, WIDTH_KINDS, NULL},
    {{"Time", "± ", 7, cell_error}, COLUMN_ERRORS, WIDTH_TABLE, ANY, NULL},
    {{"Wait", "seconds ", 9, cell_wait}, COLUMN_WAIT, WIDTH_KINDS, ANY, "seconds waited"},
    {{"GPU", "busy ", 7, cell_gpu}, COLUMN_GPU, WIDTH_KINDS, ANY, "the GPU"},
    {{"GPU", "memory ", 8, cell_gpu_memory}, COLUMN_GPU, WIDTH_ALL, ANY, "memory of the GPU"},
    {{"Await", "% ", 7, cell_await}, COLUMN_AWAIT, WIDTH_KINDS, ANY, "awaits"},
    {{"", "Memory ", 8, cell_peak}, COLUMN_MEMORY, WIDTH_PEAK, WIDTH_KINDS, "peak memory"},
    {{"Memory", "Python ", 8, cell_memory_python}, COLUMN_MEMORY, WIDTH_ALL, ANY, "Python's part of the memory"},
    {{"Memory", "peak ", 8, cell_peak}, COLUMN_MEMORY, WIDTH_KINDS, ANY, NULL},
    {{"Memory", "timeline/% ", 16, cell_timeline}, COLUMN_MEMORY, WIDTH_TIMELINE, ANY, "memory over time"},
    {{"Copy", "(MB/s) ", 8, cell_copy}, COLUMN_COPY, WIDTH_ALL, ANY, "copies"},
};
// clang-format on

static const size_t steps[] = {WIDTH_PEAK, WIDTH_KINDS, WIDTH_TIMELINE, WIDTH_ALL};

static unsigned facts_of_line(const struct profile *profile, const struct profile_line *line)
{
    double noticeable_s = profile_total_s(profile) * CELL_SMALL_PERCENT / 100;
    double noticeable_mb = profile->footprint.max_mb * CELL_SMALL_PERCENT / 100;
    double noticeable_copy_mb = profile->elapsed_s * CELL_COPY_MB_S;
    double wait_s = profile_times_wait_s(&line->times);
    const struct profile_memory *memory = &line->memory;
    unsigned facts = 0;
    facts |= line->times.idle_s > 0 && line->times.idle_s >= noticeable_s ? COLUMN_IDLE : 0;
    facts |= wait_s > 0 && wait_s >= noticeable_s ? COLUMN_WAIT : 0;
    facts |= line->gpu.busy_s > 0 || line->gpu.peak_mb > 0 ? COLUMN_GPU : 0;
    facts |= line->async.await_s > 0 ? COLUMN_AWAIT : 0;
    facts |= memory->peak_mb > 0 && memory->peak_mb >= noticeable_mb ? COLUMN_MEMORY : 0;
    facts |= memory->copied_mb > 0 && memory->copied_mb >= noticeable_copy_mb ? COLUMN_COPY : 0;
    return facts;
}

static bool is_wanted(const struct column_set *set, const struct offer *offer)
{
    return (offer->needs & set->facts) == offer->needs;
}

static void add(struct column_set *set, const struct offer *offer, bool is_utf8)
{
    struct column column = offer->column;
    if (column.paint == cell_error && !is_utf8) {
        column.name = "+/- ";
    }
    set->columns[set->count++] = column;
}

void column_choose(struct column_set *set, const struct profile *profile,
                   const struct canvas *canvas, const struct terminal_options *options)
{
    *set = (struct column_set){.facts = options->has_errors ? COLUMN_ERRORS : 0};
    for (size_t i = 0; i < profile->file_count; i++) {
        for (size_t j = 0; j < profile->files[i].line_count; j++) {
            set->facts |= facts_of_line(profile, &profile->files[i].lines[j]);
        }
    }
    for (size_t i = 0; i < sizeof offers / sizeof *offers; i++) {
        if (!is_wanted(set, &offers[i])) {
            continue;
        }
        if (canvas->width >= offers[i].from && canvas->width < offers[i].below) {
            add(set, &offers[i], canvas->is_utf8);
        }
        set->is_missing |= canvas->width < offers[i].from && canvas->width >= WIDTH_TABLE;
    }
}

bool column_is_shown(const struct column_set *set,
                     void (*paint)(struct canvas *canvas, const struct cell_row *row, size_t width))
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->columns[i].paint == paint) {
            return true;
        }
    }
    return false;
}

void column_say_missing(const struct column_set *set, size_t width, struct text *out)
{
    bool is_first = true;
    for (size_t i = 0; set->is_missing && i < sizeof steps / sizeof *steps; i++) {
        bool is_first_of_step = true;
        for (size_t j = 0; j < sizeof offers / sizeof *offers; j++) {
            const struct offer *offer = &offers[j];
            if (!offer->said || offer->from != steps[i] || width >= steps[i] ||
                !is_wanted(set, offer)) {
                continue;
            }
            if (is_first_of_step) {
                text_format(out, is_first ? " From %zu columns on: %s" : "; from %zu: %s", steps[i],
                            offer->said);
            } else {
                text_format(out, ", %s", offer->said);
            }
            is_first = false;
            is_first_of_step = false;
        }
    }
    text_add(out, is_first ? "" : ".");
}
