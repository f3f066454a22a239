// SPDX-License-Identifier: Apache-2.0
#pragma once

// libcurl, opened when a proposal is asked for and never before: loading it takes longer than
// everything else that a start of the command does. The system's own, so that proxies,
// certificates and mended faults are the system's too.

#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>
#include <stdbool.h>

#include "base/error.h"

#define TRANSPORT_FUNCTIONS(X)  \
    X(curl_easy_cleanup)        \
    X(curl_easy_getinfo)        \
    X(curl_easy_init)           \
    X(curl_easy_setopt)         \
    X(curl_easy_strerror)       \
    X(curl_global_init)         \
    X(curl_multi_add_handle)    \
    X(curl_multi_cleanup)       \
    X(curl_multi_info_read)     \
    X(curl_multi_init)          \
    X(curl_multi_perform)       \
    X(curl_multi_remove_handle) \
    X(curl_multi_wait)          \
    X(curl_slist_append)        \
    X(curl_slist_free_all)

struct transport {
#define X(name) __typeof__(&name) name;
    TRANSPORT_FUNCTIONS(X)
#undef X
};

bool transport_open(struct transport *transport, struct error *err)
    __attribute__((warn_unused_result));
