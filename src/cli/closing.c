// SPDX-License-Identifier: Apache-2.0
#include "cli/closing.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/outfile.h"
#include "profile/reason.h"

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

static void add_view_hint(struct text *out, const char *path)
{
    text_add(out, "  To view in terminal: scalene view --cli");
    if (strcmp(path, OUTFILE_DEFAULT) != 0) {
        text_add_char(out, ' ');
        add_quoted(out, path);
    }
    text_add_char(out, '\n');
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

void closing_print(const struct profile *profile, const char *path)
{
    struct text out = {0};
    text_add_char(&out, '\n');
    add_reason(&out, profile);
    text_format(&out, "Scalene: profile saved to %s\n", path);
    add_view_hint(&out, path);
    fputs(out.data, stderr);
    text_clear(&out);
}
