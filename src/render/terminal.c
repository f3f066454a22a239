// SPDX-License-Identifier: Apache-2.0
#include "render/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/amount.h"
#include "profile/percent.h"
#include "profile/reason.h"
#include "render/awaits.h"
#include "render/findings.h"
#include "render/holders.h"
#include "render/leaks.h"
#include "render/operators.h"
#include "render/paint.h"
#include "render/sentence.h"
#include "render/sparkline.h"
#include "render/summary.h"
#include "render/table.h"

#define WIDTH_DEFAULT  132
#define WIDTH_MIN      20
#define BAR_WIDTH_MAX  100
#define FOLDED_PERCENT 1 // files below it share one row
#define PATH_WIDTH_MIN 16
#define TIMELINE_WIDTH 27

struct file_share {
    const struct profile_file *file;
    struct profile_times times;
    double percent;
    bool is_folded;
};

// The marks of the kinds in the bar, and behind their names with a space that does not break.
static const char *const utf8_bars[] = {"█", "▓", "▒", "░"};
static const char *const utf8_glyphs[] = {"\u00a0█", "\u00a0▓", "\u00a0▒", "\u00a0░"};
static const char *const ascii_glyphs[] = {"(#)", "(=)", "(-)", "(.)"};
static const char *const ascii_bars[] = {"#", "=", "-", "."};

static int compare_shares(const void *left, const void *right)
{
    const struct file_share *a = left;
    const struct file_share *b = right;
    if (a->percent != b->percent) {
        return a->percent > b->percent ? -1 : 1;
    }
    return strcmp(a->file->path, b->file->path);
}

static struct file_share *share_files(const struct profile *profile)
{
    double total_s = profile_total_s(profile);
    struct file_share *shares = mem_alloc((profile->file_count + 1) * sizeof *shares);
    for (size_t i = 0; i < profile->file_count; i++) {
        struct profile_times times = percent_file_times(&profile->files[i]);
        struct percent percent = percent_of(profile, &times);
        double wait_percent = total_s > 0 ? 100 * profile_times_wait_s(&times) / total_s : 0;
        double max_mb = profile->footprint.max_mb;
        double held_mb = profile_file_held_mb(&profile->files[i]);
        double held_percent = max_mb > 0 ? 100 * held_mb / max_mb : 0;
        shares[i] = (struct file_share){
            .file = &profile->files[i],
            .times = times,
            .percent = percent_sum(&percent),
            .is_folded =
                fmax(percent_sum(&percent), fmax(wait_percent, held_percent)) < FOLDED_PERCENT &&
                !leaks_exist(&profile->files[i]) && !awaits_exist(profile, &profile->files[i]),
        };
    }
    qsort(shares, profile->file_count, sizeof *shares, compare_shares);
    shares[0].is_folded = false; // something is shown in any case
    return shares;
}

static void add_command(struct canvas *canvas, const struct profile *profile)
{
    struct text text = {0};
    if (profile->command_count > 0) {
        for (size_t i = 0; i < profile->command_count; i++) {
            text_format(&text, "%s%s", i > 0 ? " " : "", profile->command[i]);
        }
    } else if (profile->program) {
        text_add(&text, profile->program);
    }
    if (text.len > 0) {
        text_add_char(canvas->out, ' ');
        paint_start(canvas, PAINT_TITLE);
        paint_clipped(canvas, text.data, text.len, canvas->width - 1);
        paint_stop(canvas, PAINT_TITLE);
        text_add_char(canvas->out, '\n');
    }
    text_clear(&text);
}

// The four kinds as one bar; the last one that is there takes what rounding leaves.
static void add_bar(struct canvas *canvas, const struct profile *profile)
{
    struct percent percent = percent_of(profile, &profile->totals);
    const double shares[] = {percent.python, percent.native, percent.system, percent.idle};

    static const enum paint paints[] = {PAINT_PYTHON, PAINT_NATIVE, PAINT_SYSTEM, PAINT_IDLE};

    size_t width = canvas->width - 1 < BAR_WIDTH_MAX ? canvas->width - 1 : BAR_WIDTH_MAX;
    double sum = 0;
    size_t done = 0;
    text_add_char(canvas->out, ' ');
    for (int i = 0; i < 4; i++) {
        sum += shares[i];
        size_t end = (size_t)lround(sum / 100 * (double)width);
        if (end > done) {
            paint_start(canvas, paints[i]);
            paint_repeat(canvas, canvas->is_utf8 ? utf8_bars[i] : ascii_bars[i], end - done);
            paint_stop(canvas, paints[i]);
            done = end;
        }
    }
    text_add_char(canvas->out, '\n');
}

static void add_memory(struct canvas *canvas, const struct profile *profile)
{
    struct text text = {0};
    struct text timeline = {0};
    const struct profile_footprint *footprint = &profile->footprint;
    const struct sparkline line = {footprint->points, footprint->point_count, profile->elapsed_s,
                                   footprint->max_mb};
    if (line.count > 0 && canvas->width > 2 * TIMELINE_WIDTH) {
        sparkline_add(canvas, &line, TIMELINE_WIDTH, &timeline);
        text_add_char(&timeline, ' ');
    }
    sentence_memory(&text, profile, timeline.data ? timeline.data : "");
    paint_paragraph(canvas, PAINT_PLAIN, text.data);
    text_clear(&timeline);
    text_clear(&text);
}

static void add_gpus(struct canvas *canvas, const struct profile *profile)
{
    struct text text = {0};
    sentence_gpus(&text, profile);
    if (text.len > 0) {
        paint_paragraph(canvas, PAINT_PLAIN, text.data);
    }
    text_clear(&text);
}

static void add_head(struct canvas *canvas, const struct profile *profile)
{
    struct text verdict = {0};
    add_command(canvas, profile);
    sentence_verdict(&verdict, profile, canvas->is_utf8 ? utf8_glyphs : ascii_glyphs);
    paint_paragraph(canvas, PAINT_PLAIN, verdict.data);
    text_clear(&verdict);
    add_bar(canvas, profile);
    if (profile->has_memory && profile->footprint.max_mb > 0) {
        add_memory(canvas, profile);
    }
    add_gpus(canvas, profile);
    findings_render(canvas, &profile->findings);
}

// The original's title where there is room for it, else as much as fits.
static void add_file_title(struct canvas *canvas, const struct profile *profile,
                           const struct file_share *share)
{
    struct text text = {0};
    double total_s = profile_total_s(profile);
    text_format(&text, ": %% of time = %6.2f%% (", share->percent);
    sentence_duration(&text, share->percent / 100 * total_s);
    text_add(&text, ") out of ");
    sentence_duration(&text, total_s);
    text_add_char(&text, '.');
    if (text.len + PATH_WIDTH_MIN > canvas->width) {
        text.len = 0;
        text_format(&text, ": %.2f%%", share->percent);
    }
    text_add(canvas->out, "\n ");
    paint_start(canvas, PAINT_TITLE);
    paint_clipped_left(canvas, share->file->path, strlen(share->file->path),
                       canvas->width - 1 - text.len);
    paint_stop(canvas, PAINT_TITLE);
    text_add_bytes(canvas->out, text.data, text.len);
    text_add_char(canvas->out, '\n');
    text_clear(&text);
}

static void add_rest(struct canvas *canvas, const struct profile_rest *rest, bool follows_others)
{
    struct text text = {0};
    text_format(&text, "%zu %sfile%s, ", rest->file_count, follows_others ? "more " : "",
                rest->file_count == 1 ? "" : "s");
    if (rest->percent > 0) {
        amount_percent(&text, rest->percent);
        text_add(&text, rest->file_count == 1 ? " of the time." : " together.");
    } else {
        text_add(&text, "no time.");
    }
    text_add_char(canvas->out, '\n');
    paint_paragraph(canvas, PAINT_PLAIN, text.data);
    text_clear(&text);
}

static void add_files(struct canvas *canvas, const struct profile *profile,
                      const struct terminal_options *options)
{
    struct table table;
    table_init(&table, profile, canvas, options);
    struct file_share *shares = share_files(profile);
    struct profile_rest rest = profile->rest;
    for (size_t i = 0; i < profile->file_count; i++) {
        if (shares[i].is_folded) {
            rest.file_count++;
            rest.percent += shares[i].percent;
            continue;
        }
        add_file_title(canvas, profile, &shares[i]);
        table_render(&table, shares[i].file);
        if (options->key != ORDER_memory) {
            holders_render(canvas, profile, shares[i].file);
        }
        leaks_render(canvas, shares[i].file);
        awaits_render(canvas, shares[i].file);
        summary_render(canvas, profile, shares[i].file);
    }
    free(shares);
    if (rest.file_count > 0) {
        add_rest(canvas, &rest, profile->file_count > 0);
    }
    awaits_render_tasks(canvas, profile);
    operators_render(canvas, profile);
    struct text text = {0};
    table_legend(&table, &text);
    text_add_char(canvas->out, '\n');
    paint_paragraph(canvas, PAINT_DIM, text.data);
    text_clear(&text);
}

static void add_receipt(struct canvas *canvas, const struct profile *profile)
{
    struct text text = {0};
    sentence_receipt(&text, profile, paint_glyph(canvas, "±", "+/-"));
    paint_paragraph(canvas, PAINT_DIM, text.data);
    for (size_t i = 0; i < profile->quality.note_count; i++) {
        text_add(canvas->out, " Note: ");
        paint_wrapped(canvas, PAINT_PLAIN, profile->quality.notes[i], 7, 7);
    }
    text_clear(&text);
}

// A saved profile has the reason among its notes, one that another profiler wrote has none.
static void add_emptiness(struct canvas *canvas, const struct profile *profile)
{
    struct text text = {0};
    add_command(canvas, profile);
    if (profile->format_version == 0) {
        text_add(&text, "This profile is empty: its program did not run long enough, or none of "
                        "its files was to be profiled.");
        paint_paragraph(canvas, PAINT_PLAIN, text.data);
    } else if (profile->quality.note_count == 0 && reason_of_emptiness(profile, &text)) {
        paint_paragraph(canvas, PAINT_PLAIN, text.data);
    }
    text_clear(&text);
}

void terminal_render(const struct profile *profile, const struct terminal_options *options,
                     struct text *out)
{
    struct canvas canvas = {.out = out,
                            .width = options->width > 0 ? options->width : WIDTH_DEFAULT,
                            .has_color = options->has_color,
                            .is_utf8 = options->is_utf8};
    if (canvas.width < WIDTH_MIN) {
        canvas.width = WIDTH_MIN;
    }
    paint_begin(&canvas);
    if (profile->file_count > 0) {
        add_head(&canvas, profile);
        add_files(&canvas, profile, options);
    } else {
        add_emptiness(&canvas, profile);
    }
    if (profile->file_count > 0 || profile->format_version > 0) {
        add_receipt(&canvas, profile);
    }
    paint_end(&canvas);
}
