// SPDX-License-Identifier: Apache-2.0
#include "profile/outline.h"

#include <stdlib.h>

#include "base/mem.h"

struct outline {
    int line_count;
};

struct outline *outline_new(const struct source *source)
{
    struct outline *outline = mem_alloc(sizeof *outline);
    outline->line_count = (int)source->line_count;
    return outline;
}

void outline_free(struct outline *outline)
{
    free(outline);
}

struct outline_place outline_find(const struct outline *outline, int line)
{
    (void)outline;
    struct outline_range self = {line, line};
    return (struct outline_place){.region = self, .outermost_loop = self};
}

char *outline_qualified_name(const struct outline *outline, int first_line, const char *name)
{
    (void)outline;
    (void)first_line;
    return mem_copy_text(name);
}

char *outline_enclosing_function(const struct outline *outline, int line, int *first_line)
{
    (void)outline;
    (void)line;
    *first_line = 0;
    return NULL;
}
