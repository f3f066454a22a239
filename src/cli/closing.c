// SPDX-License-Identifier: Apache-2.0
#include "cli/closing.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/outfile.h"
#include "cli/screen.h"
#include "profile/reason.h"
#include "render/findings.h"
#include "render/paint.h"

#define FINDINGS_SHOWN 3
#define LINE_WIDTH_MAX 300

// As one word of a shell's command line.
static void add_quoted(struct text *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./+,:@%=";
    if (word[0] && word[strspn(word, plain)] == '\0') {
        text_add(out, word);
        return;
    }
    text_add_char(out, '\'');
    for (; *word; word++) {
        if (*word == '\'') {
            text_add(out, "'\\''");
        } else {
            text_add_char(out, *word);
        }
    }
    text_add_char(out, '\'');
}

static void add_view_hints(struct text *out, const char *path)
{
    static const char *const hints[] = {"  To view in browser:  scalene view",
                                        "  To view in terminal: scalene view --cli"};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        text_add(out, hints[i]);
        if (strcmp(path, OUTFILE_DEFAULT) != 0) {
            text_add_char(out, ' ');
            add_quoted(out, path);
        }
        text_add_char(out, '\n');
    }
}

static void add_reason(struct text *out, const struct profile *profile)
{
    struct text reason = {0};
    if (reason_of_emptiness(profile, &reason)) {
        text_format(out, "Scalene: there is nothing to show. %s\n", reason.data);
        for (size_t i = 0; i < profile->quality.note_count; i++) {
            text_format(out, "Scalene: %s\n", profile->quality.notes[i]);
        }
    }
    text_clear(&reason);
}

// The weightiest, a line each; the report has them all. What is only about the profile itself is
// left to it. Control characters of file names stay out of the terminal.
static void add_findings(struct text *out, const struct profile *profile, bool is_utf8)
{
    const struct finding_list *list = &profile->findings;
    struct text line = {0};
    struct canvas canvas = {.out = out, .is_utf8 = is_utf8};
    size_t shown = 0;
    paint_begin(&canvas);
    for (size_t i = 0; i < list->count && shown < FINDINGS_SHOWN; i++) {
        if (list->items[i].severity == FINDING_info) {
            continue;
        }
        line.len = 0;
        findings_line(&line, &list->items[i], is_utf8);
        text_add(out, "Scalene: ");
        paint_clipped(&canvas, line.data, line.len, LINE_WIDTH_MAX);
        text_add_char(out, '\n');
        shown++;
    }
    paint_end(&canvas);
    text_clear(&line);
}

static void add_leftovers(struct text *out, const struct leftover_list *leftovers)
{
    if (leftovers->count == 1) {
        text_add(out, "Scalene: an earlier run was killed; to have its profile: scalene recover ");
        add_quoted(out, leftovers->paths[0]);
        text_add_char(out, '\n');
    } else if (leftovers->count > 1) {
        text_format(out, "Scalene: %zu earlier runs were killed; their profiles: scalene recover\n",
                    leftovers->count);
    }
}

void closing_print(const struct profile *profile, const char *path,
                   const struct leftover_list *leftovers)
{
    struct text out = {0};
    text_add_char(&out, '\n');
    add_reason(&out, profile);
    add_findings(&out, profile, screen_of(stderr).is_utf8);
    text_format(&out, "Scalene: profile saved to %s\n", path);
    add_leftovers(&out, leftovers);
    add_view_hints(&out, path);
    fputs(out.data, stderr);
    text_clear(&out);
}
