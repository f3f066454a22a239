// SPDX-License-Identifier: Apache-2.0
#include "serve/library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define LIBRARY_NAME "libmicrohttpd.so.12"

static const struct {
    const char *name;
    size_t offset;
} functions[] = {

#define X(name) {#name, offsetof(struct library, name)},
    LIBRARY_FUNCTIONS(X)
#undef X
};

bool library_open(struct library *library, struct error *err)
{
    void *handle = dlopen(LIBRARY_NAME, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; handle && i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(handle, functions[i].name);
        if (!function) {
            return error_set(err, "cannot serve the page: %s lacks %s", LIBRARY_NAME,
                             functions[i].name);
        }
        memcpy((char *)library + functions[i].offset, &function, sizeof function);
    }
    return handle ? true
                  : error_set(err,
                              "cannot serve the page, since " LIBRARY_NAME " is not installed; see "
                              "the profile with scalene view --cli, or write a page with scalene "
                              "view --standalone");
}
