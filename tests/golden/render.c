// SPDX-License-Identifier: Apache-2.0
// Prints a saved profile as one of the renderers shows it: render PROFILE WIDTH [WORD]...
// The words: color, ascii, reduced, seconds, errors, sort-KEY, rows-N; tsv, json, md, form.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/load.h"
#include "render/digest.h"
#include "render/listing.h"
#include "render/terminal.h"
#include "render/viewer_form.h"

static void read_word(struct terminal_options *options, const char *word)
{
    options->has_color |= strcmp(word, "color") == 0;
    options->is_utf8 &= strcmp(word, "ascii") != 0;
    options->is_reduced |= strcmp(word, "reduced") == 0;
    options->has_seconds |= strcmp(word, "seconds") == 0;
    options->has_errors |= strcmp(word, "errors") == 0;
    if (strncmp(word, "sort-", 5) == 0 && !order_key_of(word + 5, &options->key)) {
        fprintf(stderr, "no key: %s\n", word);
        exit(EXIT_FAILURE);
    }
    if (strncmp(word, "rows-", 5) == 0) {
        options->row_max = (size_t)atoi(word + 5);
    }
}

static void render(const struct profile *profile, const struct terminal_options *options,
                   const char *format, struct text *out)
{
    const struct listing_options rows = {.key = options->key, .max = options->row_max};
    const struct digest_options digest = {.key = options->key, .max = options->row_max};
    if (strcmp(format, "tsv") == 0) {
        listing_tsv(profile, &rows, out);
    } else if (strcmp(format, "json") == 0) {
        digest_json(profile, &digest, out);
    } else if (strcmp(format, "md") == 0) {
        digest_markdown(profile, &digest, out);
    } else if (strcmp(format, "form") == 0) {
        viewer_form(profile, out);
    } else {
        terminal_render(profile, options, out);
    }
}

int main(int argc, char **argv)
{
    struct profile *profile;
    struct error err;
    if (argc < 3 || !profile_load(&profile, argv[1], &err)) {
        fprintf(stderr, "%s\n", argc < 3 ? "usage: render PROFILE WIDTH [WORD]..." : err.text);
        return EXIT_FAILURE;
    }
    struct terminal_options options = {.width = (unsigned)atoi(argv[2]), .is_utf8 = true};
    for (int i = 3; i < argc; i++) {
        read_word(&options, argv[i]);
    }
    struct text out = {0};
    render(profile, &options, argc > 3 ? argv[3] : "", &out);
    fwrite(out.data, 1, out.len, stdout);
    text_clear(&out);
    profile_free(profile);
    return EXIT_SUCCESS;
}
