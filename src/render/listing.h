// SPDX-License-Identifier: Apache-2.0
#pragma once

// The lines of a profile for other programs: tab-separated values, one row a line that has data,
// over all files.

#include "base/text.h"
#include "profile/profile.h"
#include "render/order.h"

struct listing_options {
    enum order_key key; // ORDER_line: by file, as they stand there
    size_t max;         // rows; 0: all
};

// With a heading; tabs and line ends in the source text become spaces.
void listing_tsv(const struct profile *profile, const struct listing_options *options,
                 struct text *out);
