// SPDX-License-Identifier: Apache-2.0
#pragma once

// A profile in the browser: served to it, or written into a file for it.

#include <stdbool.h>

#include "base/error.h"
#include "profile/profile.h"
#include "render/page.h"
#include "serve/server.h"

// Writes a page to `path` (NULL: scalene-profile.html) and says where it is.
bool view_page_write(const struct profile *profile, const struct page_options *options,
                     const char *path, struct error *err) __attribute__((warn_unused_result));

// Serves the page, opens a browser unless told not to, and returns when nobody looks any more.
bool view_page_serve(const struct profile *profile, const struct server_options *options,
                     bool wants_browser, struct error *err) __attribute__((warn_unused_result));
