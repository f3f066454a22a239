// SPDX-License-Identifier: Apache-2.0
#include "collect/function_name.h"

#include <string.h>

#include "base/mem.h"

char *function_name(const char *name, bool is_qualified, int line, int *first_line,
                    struct outline *outline)
{
    if (strcmp(name, "<module>") == 0) {
        return NULL;
    }
    size_t len = strlen(name);
    if (len > 0 && name[len - 1] == '>') {
        return outline ? outline_enclosing_function(outline, line, first_line) : NULL;
    }
    if (!is_qualified && outline) {
        return outline_qualified_name(outline, *first_line, name);
    }
    return mem_copy_text(name);
}
