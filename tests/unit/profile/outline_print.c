// SPDX-License-Identifier: Apache-2.0
// Prints what the outline says of a file, for check_outline.py to compare with Python's own parser:
// six numbers a line, then the qualified name for each "LINE NAME" on the standard input.
#include <stdio.h>
#include <stdlib.h>

#include "profile/outline.h"

int main(int argc, char **argv)
{
    struct source source;
    if (argc != 2 || !source_from_path(&source, argv[1])) {
        fprintf(stderr, "usage: outline_print FILE\n");
        return EXIT_FAILURE;
    }
    struct outline *outline = outline_new(&source);
    for (size_t i = 0; i < source.line_count; i++) {
        struct outline_place place = outline_find(outline, (int)i + 1);
        printf("%d %d %d %d %d %d\n", place.region.first, place.region.last,
               place.outermost_loop.first, place.outermost_loop.last, place.function.first,
               place.function.last);
    }
    int line;
    char name[256];
    while (scanf("%d %255s", &line, name) == 2) {
        char *qualified = outline_qualified_name(outline, line, name);
        puts(qualified);
        free(qualified);
    }
    outline_free(outline);
    source_clear(&source);
    return EXIT_SUCCESS;
}
