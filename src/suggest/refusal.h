// SPDX-License-Identifier: Apache-2.0
#pragma once

// Why there is no answer, in one sentence that says what to do.

#include <stddef.h>

#include "base/text.h"
#include "suggest/access.h"

#define REFUSAL_BODY_MAX (64u * 1024)

struct refusal {
    const char *host;
    const struct access *access; // what must not be repeated
    long status;                 // of HTTP
    double retry_after_s;        // what a header said; 0: nothing
    const char *body;            // may be anything
    size_t body_len;
};

// What a line of HTTP's head asks to wait in milliseconds; 0: it does not.
double refusal_retry_after_s(const char *header, size_t len);

// Of a server that answered something else than 200.
void refusal_add(struct text *out, const struct refusal *refusal);

// Of a connection that failed: libcurl's number for it and its own words.
void refusal_add_failure(struct text *out, const char *host, int code, const char *words);
