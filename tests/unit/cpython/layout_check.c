// SPDX-License-Identifier: Apache-2.0

// Prints where a version says that it collects garbage: what collecting_of_every_python.py looks
// at. The beginning of its _PyRuntime is on standard input.

#include <stdio.h>
#include <stdlib.h>

#include "agent/cpython/layout.h"

int main(int argument_count, char **arguments)
{
    static uint8_t runtime[4096];
    if (argument_count != 2 || fread(runtime, 1, sizeof runtime, stdin) != sizeof runtime) {
        return 2;
    }
    struct layout layout;
    if (!layout_find(&layout, (uint32_t)strtoul(arguments[1], NULL, 10), runtime)) {
        return 1;
    }
    printf("%d\n", layout.gc_collecting);
    return 0;
}
