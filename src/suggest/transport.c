// SPDX-License-Identifier: Apache-2.0
#include "suggest/transport.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

// The same interface with one library for TLS or another.
static const char *const library_names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};

static const struct {
    const char *name;
    size_t offset;
} functions[] = {

#define X(name) {#name, offsetof(struct transport, name)},
    TRANSPORT_FUNCTIONS(X)
#undef X
};

static void *open_any(void)
{
    void *handle = NULL;
    for (size_t i = 0; !handle && i < sizeof library_names / sizeof *library_names; i++) {
        handle = dlopen(library_names[i], RTLD_NOW | RTLD_LOCAL);
    }
    return handle;
}

bool transport_open(struct transport *transport, struct error *err)
{
    void *handle = open_any();
    if (!handle) {
        return error_set(err, "cannot ask a model, since libcurl is not installed (on Debian and "
                              "Ubuntu: apt-get install libcurl4); --print-prompt needs none");
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(handle, functions[i].name);
        if (!function) {
            return error_set(err, "cannot ask a model: this libcurl lacks %s", functions[i].name);
        }
        memcpy((char *)transport + functions[i].offset, &function, sizeof function);
    }
    if (transport->curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return error_set(err, "cannot ask a model: libcurl does not start");
    }
    return true;
}
