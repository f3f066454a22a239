// SPDX-License-Identifier: Apache-2.0
#include "render/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/amount.h"
#include "profile/percent.h"
#include "render/sentence.h"

#define SHARE_WIDTH    7
#define ERROR_WIDTH    9
#define LISTED_MAX     20
#define LISTED_PERCENT 1 // less is counted, not listed
#define HANGING        4

struct entry {
    const struct profile_function *function;
    struct percent percent;
    double sum;
    double held;   // of the footprint, at most, in percent
    double weight; // waits and memory count, so that who only waits or holds is listed too
};

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;
    if (a->sum != b->sum) {
        return a->sum > b->sum ? -1 : 1;
    }
    if (a->weight != b->weight) {
        return a->weight > b->weight ? -1 : 1;
    }
    return a->function->first_line - b->function->first_line;
}

static struct entry *entries_of(const struct profile *profile, const struct profile_file *file)
{
    double total_s = profile_total_s(profile);
    struct entry *entries = mem_alloc((file->function_count + 1) * sizeof *entries);
    for (size_t i = 0; i < file->function_count; i++) {
        const struct profile_function *function = &file->functions[i];
        struct entry *entry = &entries[i];
        entry->function = function;
        entry->percent = percent_of(profile, &function->times);
        entry->sum = percent_sum(&entry->percent);
        double wait_s = profile_times_wait_s(&function->times);
        double max_mb = profile->footprint.max_mb;
        entry->held = max_mb > 0 ? 100 * function->memory.peak_mb / max_mb : 0;
        entry->weight = fmax(entry->sum, total_s > 0 ? 100 * wait_s / total_s : 0);
        entry->weight = fmax(entry->weight, entry->held);
        double await_part = profile->await_s > 0 ? function->async.await_s / profile->await_s : 0;
        entry->weight = fmax(entry->weight, 100 * await_part);
    }
    qsort(entries, file->function_count, sizeof *entries, compare_entries);
    return entries;
}

static bool has_errors(const struct profile_file *file)
{
    bool has_some = false;
    for (size_t i = 0; i < file->function_count; i++) {
        has_some |= file->functions[i].times.variance_s2 > 0;
    }
    return has_some;
}

static void add_entry(struct canvas *canvas, const struct profile *profile,
                      const struct entry *entry, size_t error_width)
{
    struct text text = {0};
    struct text waits = {0};
    amount_percent(&text, entry->sum);
    paint_right(canvas, PAINT_PLAIN, text.data ? text.data : "", SHARE_WIDTH);
    text.len = 0;
    if (entry->percent.error > 0) {
        text_format(&text, " %s %.2g", paint_glyph(canvas, "±", "+/-"), entry->percent.error);
    }
    size_t error_len = paint_width(canvas, text.data ? text.data : "", text.len);
    text_format(&text,
                "%*s%s (line %d): ", error_len < error_width ? (int)(error_width - error_len) : 1,
                "", entry->function->name, entry->function->first_line);
    sentence_shares(&text, profile, &entry->function->times);
    sentence_waits(&waits, &entry->function->times);
    if (waits.len > 0) {
        text_format(&text, "%swaited %s", entry->sum > 0 ? "; " : "", waits.data);
    }
    double await_s = entry->function->async.await_s;
    if (await_s > 0) {
        text_format(&text, "%stasks awaited ", entry->sum > 0 || waits.len > 0 ? "; " : "");
        amount_duration(&text, await_s);
    }
    if (entry->held >= LISTED_PERCENT) {
        bool is_first = entry->sum <= 0 && waits.len == 0 && await_s <= 0;
        text_format(&text, "%sheld up to ", is_first ? "" : "; ");
        amount_size(&text, entry->function->memory.peak_mb);
    }
    paint_wrapped(canvas, PAINT_PLAIN, text.data, SHARE_WIDTH, SHARE_WIDTH + HANGING);
    text_clear(&waits);
    text_clear(&text);
}

void summary_render(struct canvas *canvas, const struct profile *profile,
                    const struct profile_file *file)
{
    if (file->function_count == 0) {
        return;
    }
    struct entry *entries = entries_of(profile, file);
    size_t listed = 0;
    size_t error_width = has_errors(file) ? ERROR_WIDTH : 1;
    paint_text(canvas, PAINT_TITLE, " Function summaries:\n");
    for (size_t i = 0; i < file->function_count && listed < LISTED_MAX; i++) {
        if (i == 0 || entries[i].weight >= LISTED_PERCENT) {
            add_entry(canvas, profile, &entries[i], error_width);
            listed++;
        }
    }
    if (listed < file->function_count) {
        struct text text = {0};
        text_format(&text, "and %zu more", file->function_count - listed);
        paint_repeat(canvas, " ", SHARE_WIDTH + 1);
        paint_wrapped(canvas, PAINT_DIM, text.data, SHARE_WIDTH + 1, SHARE_WIDTH + HANGING);
        text_clear(&text);
    }
    free(entries);
}
