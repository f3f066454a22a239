// SPDX-License-Identifier: Apache-2.0
#include "render/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/amount.h"
#include "profile/percent.h"
#include "profile/reason.h"
#include "profile/source.h"
#include "profile/writer.h"
#include "render/markup.h"
#include "render/page_embedded.h"
#include "render/sentence.h"
#include "render/viewer_form.h"

#define LINES_SHOWN     20
#define LINE_SHOWN_PART 0.001 // of T, or of the peak
#define COMMAND_MAX     300   // bytes of the command line that are shown

struct page_file page_script(void)
{
    return (struct page_file){page_embedded_script,
                              (size_t)(page_embedded_script_end - page_embedded_script)};
}

struct page_file page_style(void)
{
    return (struct page_file){page_embedded_style,
                              (size_t)(page_embedded_style_end - page_embedded_style)};
}

#define WRITTEN_POLICY(connect)                                                                \
    "default-src 'none'; script-src '" PAGE_SCRIPT_HASH "'; style-src '" PAGE_STYLE_HASH "'; " \
    "img-src data:; connect-src " connect "; base-uri 'none'; form-action 'none'"

const char *page_policy(enum page_mode mode)
{
    static const char *const policies[] = {
        [PAGE_SERVED] = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' "
                        "data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
                        "frame-ancestors 'none'",
        [PAGE_WHOLE] = WRITTEN_POLICY("'none'"),
        [PAGE_STANDALONE] = WRITTEN_POLICY("'none'"),
        [PAGE_HOSTED] = WRITTEN_POLICY("'self'"),
    };
    return policies[mode];
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

void page_title(struct text *out, const struct profile *profile)
{
    text_add(out, "Scalene - ");
    text_add(out, profile->program && profile->program[0] ? name_of(profile->program) : "profile");
}

static void add_head(struct text *out, const struct profile *profile,
                     const struct page_options *options)
{
    struct text title = {0};
    page_title(&title, profile);
    text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    if (options->mode != PAGE_SERVED) {
        text_format(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n",
                    page_policy(options->mode));
    }
    text_add(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"referrer\" content=\"no-referrer\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    markup_text(out, title.data);
    text_add(out, "</title>\n");
    if (options->mode == PAGE_SERVED || options->mode == PAGE_HOSTED) {
        text_add(out, "<link rel=\"icon\" href=\"data:,\">\n"); // else a browser asks for one
    }
    if (options->mode == PAGE_SERVED) {
        text_add(out, "<link rel=\"stylesheet\" href=\"page.css\">\n");
    } else {
        text_add(out, "<style>");
        text_add_bytes(out, page_style().bytes, page_style().len);
        text_add(out, "</style>\n");
    }
    text_add(out, "</head>\n<body>\n");
    text_clear(&title);
}

static void add_command(struct text *out, const struct profile *profile)
{
    struct text command = {0};
    for (size_t i = 0; i < profile->command_count && command.len < COMMAND_MAX; i++) {
        text_format(&command, "%s%s", i > 0 ? " " : "", profile->command[i]);
    }
    if (command.len == 0) {
        text_add(&command, profile->program ? profile->program : "");
    }
    text_add(out, "<h1><bdi>");
    markup_bytes(out, command.data, command.len < COMMAND_MAX ? command.len : COMMAND_MAX);
    text_add(out, command.len > COMMAND_MAX ? "…</bdi></h1>\n" : "</bdi></h1>\n");
    text_clear(&command);
}

static void add_paragraph(struct text *out, const char *class, const char *sentence)
{
    text_format(out, "<p class=\"%s\">", class);
    markup_text(out, sentence);
    text_add(out, "</p>\n");
}

static void add_verdict(struct text *out, const struct profile *profile)
{
    static const char *const glyphs[] = {"", "", "", ""};
    struct text text = {0};
    sentence_verdict(&text, profile, glyphs);
    add_paragraph(out, "verdict", text.data);
    if (profile->has_memory && profile->footprint.max_mb > 0) {
        text.len = 0;
        sentence_memory(&text, profile, "");
        add_paragraph(out, "verdict", text.data);
    }
    text.len = 0;
    sentence_gpus(&text, profile);
    if (text.len > 0) {
        add_paragraph(out, "verdict", text.data);
    }
    text.len = 0;
    if (profile->file_count == 0 && reason_of_emptiness(profile, &text)) {
        add_paragraph(out, "verdict", text.data);
    }
    text_clear(&text);
}

static void add_finding(struct text *out, const struct finding *finding)
{
    text_format(out, "<li class=\"%s\"><strong>", finding_severity_names[finding->severity]);
    markup_text(out, finding->sentence);
    text_add(out, "</strong><br>");
    markup_text(out, finding->next_step ? finding->next_step : "");
    text_add(out, " <small>");
    markup_text(out, finding->how_measured ? finding->how_measured : "");
    text_add(out, "</small></li>\n");
}

static void add_findings(struct text *out, const struct finding_list *list)
{
    text_add(out, "<h2>What stands out</h2>\n");
    if (list->count == 0) {
        add_paragraph(out, "verdict", FINDING_NONE);
        return;
    }
    text_add(out, "<ol class=\"findings\">\n");
    for (size_t i = 0; i < list->count; i++) {
        add_finding(out, &list->items[i]);
    }
    text_add(out, "</ol>\n");
    if (list->left_out > 0) {
        text_format(out, "<p>And %zu more of less weight.</p>\n", list->left_out);
    }
}

struct heavy_line {
    const struct profile_file *file;
    const struct profile_line *line;
    double weight;
};

static int compare_weights(const void *left, const void *right)
{
    const struct heavy_line *a = left;
    const struct heavy_line *b = right;
    if (a->weight != b->weight) {
        return a->weight > b->weight ? -1 : 1;
    }
    int order = strcmp(a->file->path, b->file->path);
    return order != 0 ? order : a->line->number - b->line->number;
}

// All lines that matter, the heaviest first.
static struct heavy_line *heavy_lines(const struct profile *profile, size_t *count)
{
    struct heavy_line *lines = NULL;
    size_t capacity = 0;
    double total_s = profile_total_s(profile);
    *count = 0;
    for (size_t i = 0; i < profile->file_count; i++) {
        const struct profile_file *file = &profile->files[i];
        for (size_t j = 0; j < file->line_count; j++) {
            const struct profile_line *line = &file->lines[j];
            struct percent percent = percent_of(profile, &line->times);
            double weight = percent_sum(&percent) / 100;
            if (total_s > 0 && weight >= LINE_SHOWN_PART) {
                lines = mem_grow(lines, *count, &capacity, sizeof *lines);
                lines[(*count)++] = (struct heavy_line){file, line, weight};
            }
        }
    }
    if (*count > 0) {
        qsort(lines, *count, sizeof *lines, compare_weights);
    }
    return lines;
}

static void add_cell(struct text *out, struct text *cell)
{
    text_add(out, "<td>");
    text_add(out, cell->len > 0 ? cell->data : "");
    text_add(out, "</td>");
    cell->len = 0;
}

static void add_line(struct text *out, const struct profile *profile,
                     const struct heavy_line *heavy)
{
    struct percent percent = percent_of(profile, &heavy->line->times);
    struct text cell = {0};
    text_add(out, "<tr><th scope=\"row\"><bdi>");
    markup_text(out, name_of(heavy->file->path));
    text_format(out, ":%d</bdi></th>", heavy->line->number);
    amount_percent(&cell, percent.python);
    add_cell(out, &cell);
    amount_percent(&cell, percent.native);
    add_cell(out, &cell);
    amount_percent(&cell, percent.system);
    add_cell(out, &cell);
    amount_percent(&cell, percent.idle);
    add_cell(out, &cell);
    amount_size(&cell, heavy->line->memory.peak_mb);
    add_cell(out, &cell);
    text_add(out, "</tr>\n");
    text_clear(&cell);
}

static void add_lines(struct text *out, const struct profile *profile)
{
    size_t count;
    struct heavy_line *lines = heavy_lines(profile, &count);
    if (count > 0) {
        text_add(out, "<table>\n<caption>The lines that took the most time, in percent of CPU time "
                      "plus idle time</caption>\n<thead><tr><th scope=\"col\">Line</th>"
                      "<th scope=\"col\">Python</th><th scope=\"col\">native</th>"
                      "<th scope=\"col\">system</th><th scope=\"col\">idle</th>"
                      "<th scope=\"col\">held at most</th></tr></thead>\n<tbody>\n");
        for (size_t i = 0; i < count && i < LINES_SHOWN; i++) {
            add_line(out, profile, &lines[i]);
        }
        text_add(out, "</tbody>\n</table>\n");
    }
    free(lines);
}

static size_t source_count(const struct profile *profile)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->file_count; i++) {
        count += profile->files[i].source && profile->files[i].source[0];
    }
    return count;
}

void page_contents(const struct profile *profile, const struct page_options *options,
                   struct text *out)
{
    if (options->mode == PAGE_HOSTED) {
        text_add(out, "It contains no profile: it shows the profile.json beside it.");
        return;
    }
    size_t count = options->has_source ? source_count(profile) : 0;
    text_format(out, "It contains the command line and the source text of %zu file%s.", count,
                count == 1 ? "" : "s");
}

static void add_static(struct text *out, const struct profile *profile)
{
    struct text receipt = {0};
    text_add(out, "<main id=\"scalene-static\">\n");
    add_command(out, profile);
    add_verdict(out, profile);
    add_findings(out, &profile->findings);
    add_lines(out, profile);
    sentence_receipt(&receipt, profile, "±");
    add_paragraph(out, "receipt", receipt.data);
    for (size_t i = 0; i < profile->quality.note_count; i++) {
        add_paragraph(out, "receipt", profile->quality.notes[i]);
    }
    text_add(out, "</main>\n<div id=\"scalene-app\"></div>\n");
    text_clear(&receipt);
}

static void add_waiting(struct text *out)
{
    text_add(out, "<main id=\"scalene-static\">\n<h1>Scalene</h1>\n");
    add_paragraph(out, "verdict",
                  "This page shows the profile.json beside it, if a web server has both and the "
                  "browser runs scripts.");
    text_add(out, "</main>\n<div id=\"scalene-app\"></div>\n");
}

static void add_config(struct text *out, const struct profile *profile,
                       const struct page_options *options)
{
    static const char *const modes[] = {"served", "html", "standalone", "hosted"};
    struct text title = {0};
    struct text contents = {0};
    struct writer writer;
    page_title(&title, profile);
    page_contents(profile, options, &contents);
    writer_init(&writer, -1);
    writer.is_compact = true;
    writer_begin_object(&writer);
    if (options->mode != PAGE_SERVED) {
        writer_key(&writer, "contents");
        writer_text(&writer, contents.data);
    }
    writer_key(&writer, "mode");
    writer_text(&writer, modes[options->mode]);
    writer_key(&writer, "title");
    writer_text(&writer, title.data);
    writer_end_object(&writer);
    text_add(out, "<script type=\"application/json\" id=\"scalene-config\">");
    markup_json(out, writer.text.data, writer.text.len);
    text_add(out, "</script>\n");
    writer_clear(&writer);
    text_clear(&contents);
    text_clear(&title);
}

// An element that holds data: as JSON, or packed.
static void add_data(struct text *out, const char *id, const struct text *data, bool is_packed)
{
    text_format(out, "<script type=\"%s\" id=\"%s\">",
                is_packed ? "text/plain" : "application/json", id);
    if (is_packed) {
        markup_packed(out, data->data, data->len);
    } else {
        markup_json(out, data->data, data->len);
    }
    text_add(out, "</script>\n");
}

static void add_source(struct text *out, const struct profile_file *file, size_t index,
                       bool is_packed)
{
    struct text id = {0};
    struct text data = {0};
    text_format(&id, "scalene-source-%zu", index);
    if (is_packed) {
        text_add(&data, file->source);
    } else {
        struct writer writer;
        writer_init(&writer, -1);
        writer_text(&writer, file->source);
        data = writer.text;
    }
    add_data(out, id.data, &data, is_packed);
    text_clear(&data);
    text_clear(&id);
}

static void add_contents(struct text *out, const struct profile *profile,
                         const struct page_options *options)
{
    bool is_packed = options->mode == PAGE_STANDALONE;
    struct text form = {0};
    viewer_form(profile, &form);
    add_data(out, "scalene-form", &form, is_packed);
    text_clear(&form);
    size_t *files = viewer_form_files(profile);
    for (size_t i = 0; options->has_source && i < profile->file_count; i++) {
        const struct profile_file *file = &profile->files[files[i]];
        if (file->source && file->source[0]) {
            add_source(out, file, i, is_packed);
        }
    }
    free(files);
}

static void add_script(struct text *out)
{
    text_add(out, "<script>");
    text_add_bytes(out, page_script().bytes, page_script().len);
    text_add(out, "</script>\n");
}

void page_render(const struct profile *profile, const struct page_options *options,
                 struct text *out)
{
    add_head(out, profile, options);
    if (options->mode == PAGE_HOSTED) {
        add_waiting(out);
    } else {
        add_static(out, profile);
    }
    add_config(out, profile, options);
    if (options->mode == PAGE_WHOLE || options->mode == PAGE_STANDALONE) {
        add_contents(out, profile, options);
    }
    if (options->mode == PAGE_SERVED) {
        text_add(out, "<script src=\"page.js\" defer></script>\n");
    } else {
        add_script(out);
    }
    text_add(out, "</body>\n</html>\n");
}
