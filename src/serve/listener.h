// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sockets that listen on this machine's loopback addresses, 127.0.0.1 and ::1, on one port.

#include <stdbool.h>

#include "base/error.h"

#define LISTENER_PORT        11235 // the original's
#define LISTENER_PORTS_TRIED 100

struct listener {
    int sockets[2]; // -1: this family is not there
    unsigned port;
};

// On `port`, or if that is 0 on the first free one from LISTENER_PORT on.
bool listener_open(struct listener *listener, unsigned port, struct error *err)
    __attribute__((warn_unused_result));
