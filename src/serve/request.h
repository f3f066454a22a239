// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a request asks for, and whether it may. Pure: no sockets, no files. A page of another site
// gets nothing (the token is not known to it, Origin and Sec-Fetch-Site give it away), nor does a
// name that was made to point to this machine (Host must be a loopback name). A link from another
// site (a terminal in the browser) may open the page, since that is all it does: what is shown
// there is seen by the person alone.

#include <stddef.h>

#define REQUEST_TOKEN_LEN 32

// NULL: the header is not there.
struct request {
    const char *method;
    const char *path; // without the query
    const char *host;
    unsigned host_count; // how many there are of this header
    const char *origin;
    const char *fetch_site;
    const char *fetch_mode;
    const char *fetch_dest;
    const char *content_type;
};

struct request_guard {
    char token[REQUEST_TOKEN_LEN + 1];
    size_t file_count;
};

enum request_route {
    REQUEST_REFUSED,
    REQUEST_PAGE,
    REQUEST_SCRIPT,
    REQUEST_STYLE,
    REQUEST_FORM,
    REQUEST_SOURCE,
    REQUEST_ALIVE,
    REQUEST_PROVIDERS,
    REQUEST_PROMPT, // from here on: asked by POST, with a body of JSON
    REQUEST_MODELS,
    REQUEST_PROPOSAL,
};

struct request_answer {
    enum request_route route;
    size_t file;      // of REQUEST_SOURCE
    unsigned status;  // of HTTP
    const char *text; // of a refusal, a sentence
};

struct request_answer request_route(const struct request_guard *guard,
                                    const struct request *request);
