// SPDX-License-Identifier: Apache-2.0
// A symbol of any name, as a library's file may have, is given a name that is shown: one that is
// not longer than it may be, and a person's form of it that is no longer than itself.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "collect/demangle.h"
#include "collect/operator_name.h"
#include "fuzz.h"

#define LENGTH_MAX 4096u
#define STEP_MAX   32u // the name of a step may be longer than the step's

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *name = mem_copy_bytes((const char *)data, size);
    struct text readable = {0};
    struct text shortened = {0};
    demangle(&readable, name);
    if (readable.len > LENGTH_MAX) {
        abort();
    }
    const char *whole = readable.data ? readable.data : "";
    if (operator_name(&shortened, whole) && shortened.len > strlen(whole) + STEP_MAX) {
        abort();
    }
    text_clear(&readable);
    text_clear(&shortened);
    free(name);
    return 0;
}
