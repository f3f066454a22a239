// SPDX-License-Identifier: Apache-2.0
#pragma once

// A profile as a page of HTML. Verdict, findings and the heaviest lines are real elements, readable
// without scripts; the page's script takes over from there (docs/viewer-form.md). A pure function:
// the same bytes for the same profile.

#include <stdbool.h>

#include "base/text.h"
#include "profile/profile.h"

enum page_mode {
    PAGE_SERVED,     // asks its server for script, style, form and source
    PAGE_WHOLE,      // has all of it inside, as text
    PAGE_STANDALONE, // has all of it inside, packed
    PAGE_HOSTED,     // has no profile: shows the profile.json beside it
};

struct page_options {
    enum page_mode mode;
    bool has_source; // of the files, inside the page
};

// The profile of PAGE_HOSTED is an empty one.
void page_render(const struct profile *profile, const struct page_options *options,
                 struct text *out);

// What a page that is handed on gives away, in a sentence.
void page_contents(const struct profile *profile, const struct page_options *options,
                   struct text *out);

// "Scalene - train.py".
void page_title(struct text *out, const struct profile *profile);

// What a browser may do on the page: a Content-Security-Policy.
const char *page_policy(enum page_mode mode);

// The files of the page, built from web/ and put into the executable.
struct page_file {
    const char *bytes;
    size_t len;
};

struct page_file page_script(void);
struct page_file page_style(void);
