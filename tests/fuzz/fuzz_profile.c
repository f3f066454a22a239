// SPDX-License-Identifier: Apache-2.0
// The profile reader, and what shows a profile: any bytes may be in the file.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "profile/document.h"
#include "profile/finding.h"
#include "profile/load.h"
#include "profile/squeeze.h"
#include "profile/utf8.h"
#include "render/digest.h"
#include "render/listing.h"
#include "render/page.h"
#include "render/terminal.h"

// What a terminal would act upon, or show in another order than it stands there.
static bool is_harmful(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x061c || point == 0x200e ||
           point == 0x200f || (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2066 && point <= 0x2069);
}

// How long a colour of ours is at the start of a text; 0: it is none.
static size_t color_len(const char *text, size_t len)
{
    size_t end = 2;
    if (len < 3 || memcmp(text, "\033[", 2) != 0) {
        return 0;
    }
    while (end < len && strchr("0123456789;", text[end]) && text[end]) {
        end++;
    }
    return end < len && text[end] == 'm' ? end + 1 : 0;
}

// Nothing of the profile reaches a terminal that could make it do something.
static void expect_harmless(const struct text *out, const char *allowed, bool has_color)
{
    for (size_t i = 0; i < out->len;) {
        size_t color = has_color ? color_len(out->data + i, out->len - i) : 0;
        uint32_t point = 0;
        size_t len = color ? color : utf8_read(out->data + i, out->len - i, &point);
        bool is_allowed = color || (point > 0 && point < 0x80 && strchr(allowed, (int)point));
        bool is_broken = point == UTF8_REPLACEMENT && len == 1;
        if (is_broken || (!is_allowed && is_harmful(point))) {
            fprintf(stderr, "U+%04X at %zu\n", point, i);
            abort();
        }
        i += len;
    }
}

static void show_in_terminal(const struct profile *profile, size_t size)
{
    const struct terminal_options options = {.width = size % 160,
                                             .is_utf8 = size % 2,
                                             .has_color = size % 3 == 0,
                                             .is_reduced = size % 5 == 0,
                                             .key = (enum order_key)(size % ORDER_KEY_COUNT)};
    struct text out = {0};
    terminal_render(profile, &options, &out);
    expect_harmless(&out, "\n", options.has_color);
    text_clear(&out);
}

// Whoever shows a profile has to cope with all that could be read.
static void show_otherwise(const struct profile *profile, size_t size)
{
    const struct listing_options rows = {.key = (enum order_key)(size % ORDER_KEY_COUNT),
                                         .max = size % 7};
    const struct digest_options digest = {.key = rows.key, .max = rows.max};
    const struct page_options page = {.mode = size % 3 ? PAGE_WHOLE : PAGE_STANDALONE,
                                      .has_source = true};
    struct text out = {0};
    listing_tsv(profile, &rows, &out);
    digest_markdown(profile, &digest, &out);
    digest_json(profile, &digest, &out);
    expect_harmless(&out, "\t\n", false);
    page_render(profile, &page, &out);
    text_clear(&out);
}

// Whoever needs a part of it reads another way, which copes with the same bytes.
static void parse_parts(const uint8_t *data, size_t size)
{
    for (int use = SQUEEZE_LINES; use <= SQUEEZE_PAGE; use++) {
        struct profile *profile;
        struct error err;
        if (profile_parse_for(&profile, (const char *)data, size, (enum squeeze_use)use, "fuzz",
                              &err)) {
            profile_free(profile);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct profile *profile;
    struct error err;
    parse_parts(data, size);
    if (!profile_parse(&profile, (const char *)data, size, "fuzz", &err)) {
        return 0;
    }
    show_in_terminal(profile, size);
    show_otherwise(profile, size);
    struct writer writer;
    writer_init(&writer, -1);
    document_write(&writer, profile);
    struct profile *again;
    // What was written from anything that could be read can be read.
    if (!writer_finish(&writer) ||
        !profile_parse(&again, writer.text.data, writer.text.len, "fuzz", &err)) {
        abort();
    }
    writer_clear(&writer);
    finding_search(again); // nobody does so with a profile of ours, but its rules must not mind
    show_in_terminal(again, size);
    profile_free(again);
    profile_free(profile);
    return 0;
}
