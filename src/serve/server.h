// SPDX-License-Identifier: Apache-2.0
#pragma once

// Serves one profile to the browser of whoever started it: on loopback, behind a token, for as long
// as a page is open. Everything it can answer is made before the first request, so that a request
// costs a copy, and memory is bounded by the number of connections.

#include <stdbool.h>

#include "base/error.h"
#include "profile/profile.h"

struct server;

struct server_options {
    unsigned port;   // 0: 11235 or the next one that is free
    bool is_kept;    // stays when no page is open any more
    double linger_s; // after the last page has closed
};

// The profile must live as long as the server.
bool server_start(struct server **server, const struct profile *profile,
                  const struct server_options *options, struct error *err)
    __attribute__((warn_unused_result));

unsigned server_port(const struct server *server);

// "http://localhost:11235/TOKEN/".
const char *server_address(const struct server *server);

// Returns when no page is open any more, or when a signal asked to end.
void server_run(struct server *server);
void server_stop(struct server *server);
