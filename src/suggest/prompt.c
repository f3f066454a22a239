// SPDX-License-Identifier: Apache-2.0
#include "suggest/prompt.h"

#include <string.h>

#include "profile/utf8.h"
#include "suggest/facts.h"
#include "suggest/imports.h"
#include "suggest/versions.h"

#define FUNCTION_LINES_MAX 100 // a longer one is cut to its head and what stands before the region
#define LINES_BEFORE       9
#define CONTEXT_LINE_MAX   400 // bytes of a line that is only context
#define GPUS_MAX           8
#define GPU_NAME_MAX       80

static const char system_text[] =
    "You improve Python code that was measured by a profiler. You answer with exactly one fenced "
    "code block and nothing else. The block holds the new text of the lines between the two marks, "
    "and only of these: they are replaced by it as it stands, so keep their indentation. It must "
    "give the same results and have the same side effects. Import inside the block what it needs "
    "and the file does not import. Begin it with a comment that starts with "
    "\"# Proposed optimization:\" and says what changes and why it helps, by the measurements. If "
    "nothing is worth changing, return the lines as they are with such a comment that says so.";

static void add_cut(struct text *out, const char *text, size_t max)
{
    text_add_bytes(out, text, utf8_cut(text, strlen(text), max));
}

static void add_line(struct text *out, const struct source *source, int number, size_t max)
{
    const struct source_line *line = &source->lines[number - 1];
    size_t len = line->len;
    while (len > 0 && strchr("\r\n", line->text[len - 1])) {
        len--;
    }
    size_t shown = utf8_cut(line->text, len, max);
    text_add_bytes(out, line->text, shown);
    text_add(out, shown < len ? " ...\n" : "\n");
}

static void add_lines(struct text *out, const struct region *region, int first, int last)
{
    for (int line = first; line <= last; line++) {
        add_line(out, &region->source, line, CONTEXT_LINE_MAX);
    }
}

// From where on the text before the region is shown: the whole function if it is short.
static int context_first(const struct region *region)
{
    int near = region->first - LINES_BEFORE;
    bool has_function = region->function_first > 0 && region->function_first <= region->first;
    if (has_function && region->function_last - region->function_first < FUNCTION_LINES_MAX) {
        return region->function_first;
    }
    if (has_function && near < region->function_first) {
        return region->function_first;
    }
    return near < 1 ? 1 : near;
}

static int context_last(const struct region *region)
{
    bool is_short = region->function_first > 0 &&
                    region->function_last - region->function_first < FUNCTION_LINES_MAX;
    int last =
        is_short && region->function_last > region->last ? region->function_last : region->last;
    return (size_t)last > region->source.line_count ? (int)region->source.line_count : last;
}

static void add_code(struct text *out, const struct region *region)
{
    int first = context_first(region);
    text_add(out, "\nThe code:\n```python\n");
    if (region->function_first > 0 && region->function_first < first) {
        add_lines(out, region, region->function_first, region->function_first);
        if (region->function_first + 1 < first) {
            text_add(out, "    # ... lines that are left out ...\n");
        }
    }
    add_lines(out, region, first, region->first - 1);
    text_format(out, "# >>> the lines to rewrite begin here, with line %d\n", region->first);
    for (int line = region->first; line <= region->last; line++) {
        add_line(out, &region->source, line, REGION_BYTES_MAX);
    }
    text_add(out, "# <<< the lines to rewrite end here\n");
    add_lines(out, region, region->last + 1, context_last(region));
    text_add(out, "```\n");
}

static void add_task(struct text *out, const struct region *region,
                     const struct prompt_options *options)
{
    bool is_one = region->first == region->last;
    text_format(out, "Rewrite %s %d", is_one ? "line" : "lines", region->first);
    if (!is_one) {
        text_format(out, " to %d", region->last);
    }
    text_format(out, " of the code below so that %s", is_one ? "it " : "they ");
    if (options->aim == REGION_FOR_TIME) {
        text_format(out, "%s less time.\n", is_one ? "takes" : "take");
    } else {
        text_format(out, "%s less memory.\n", is_one ? "needs" : "need");
    }
    text_add(out, "Prefer what the standard library and the imported libraries do natively. ");
    text_add(out, options->allows_gpu ? "Libraries that use a GPU are allowed.\n"
                                      : "Use no library that needs a GPU.\n");
    if (options->instructions && options->instructions[0]) {
        text_add(out, "Also: ");
        add_cut(out, options->instructions, PROMPT_INSTRUCTIONS_MAX);
        text_add_char(out, '\n');
    }
}

static void add_gpus(struct text *out, const struct profile_gpus *gpus)
{
    for (size_t i = 0; i < gpus->count && i < GPUS_MAX; i++) {
        text_add(out, ", ");
        add_cut(out, gpus->devices[i].name, GPU_NAME_MAX);
    }
}

static void add_surroundings(struct text *out, const struct profile *profile,
                             const struct region *region)
{
    text_format(out, "\nIt ran with: Python %s",
                profile->python_version ? profile->python_version : "(unknown version)");
    if (profile->cpu_count > 0) {
        text_format(out, ", %d usable core%s", profile->cpu_count,
                    profile->cpu_count == 1 ? "" : "s");
    }
    add_gpus(out, &profile->gpus);
    text_add(out, "\n");
    struct text versions = {0};
    versions_add(&versions, &region->source, profile->python_executable, profile->python_version);
    if (versions.len > 0) {
        text_format(out, "Installed there now: %s\n", versions.data);
    }
    text_clear(&versions);
}

// JSON, in which it is sent, takes neither a broken character nor a NUL.
static void make_valid(struct text *text)
{
    struct text valid = {0};
    for (size_t at = 0; at < text->len;) {
        uint32_t point;
        char bytes[4];
        at += utf8_read(text->data + at, text->len - at, &point);
        text_add_bytes(&valid, bytes, utf8_write(point ? point : UTF8_REPLACEMENT, bytes));
    }
    text_clear(text);
    *text = valid;
}

// A part with a heading, or nothing if there is nothing in it.
static void add_part(struct text *out, const char *heading, struct text *part)
{
    if (part->len > 0) {
        text_format(out, "\n%s:\n%s", heading, part->data);
    }
    text_clear(part);
}

void prompt_write(struct prompt *prompt, const struct profile *profile, const struct region *region,
                  const struct prompt_options *options)
{
    struct text facts = {0};
    struct text findings = {0};
    struct text imports = {0};
    *prompt = (struct prompt){0};
    text_add(&prompt->system, system_text);
    add_task(&prompt->user, region, options);
    add_surroundings(&prompt->user, profile, region);
    facts_add(&facts, profile, region);
    facts_add_findings(&findings, profile, region);
    imports_add(&imports, &region->source);
    add_part(&prompt->user, "Measured there (half-widths of 95 % intervals)", &facts);
    add_part(&prompt->user, "What stands out", &findings);
    add_part(&prompt->user, "Imports of the file", &imports);
    add_code(&prompt->user, region);
    make_valid(&prompt->user);
}

void prompt_clear(struct prompt *prompt)
{
    text_clear(&prompt->system);
    text_clear(&prompt->user);
}
