// SPDX-License-Identifier: Apache-2.0
#pragma once

// libmicrohttpd, opened when a page is served and never before: loading it with all that it needs
// would cost every start of the command more than the command itself.

#include <microhttpd.h>
#include <stdbool.h>

#include "base/error.h"

#define LIBRARY_FUNCTIONS(X)             \
    X(MHD_add_response_header)           \
    X(MHD_create_response_from_buffer)   \
    X(MHD_create_response_from_callback) \
    X(MHD_destroy_response)              \
    X(MHD_get_connection_values)         \
    X(MHD_get_daemon_info)               \
    X(MHD_get_timeout)                   \
    X(MHD_lookup_connection_value)       \
    X(MHD_queue_response)                \
    X(MHD_resume_connection)             \
    X(MHD_run)                           \
    X(MHD_start_daemon)                  \
    X(MHD_stop_daemon)                   \
    X(MHD_suspend_connection)

struct library {
#define X(name) __typeof__(&name) name;
    LIBRARY_FUNCTIONS(X)
#undef X
};

bool library_open(struct library *library, struct error *err) __attribute__((warn_unused_result));
