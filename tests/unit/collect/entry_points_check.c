// SPDX-License-Identifier: Apache-2.0

// Prints what entry_points finds in an interpreter's file, a function a line: address, role, what
// the tables call it ("-" for nothing), what the symbols call it.

#include <stdio.h>
#include <stdlib.h>

#include "collect/entry_points.h"
#include "collect/symbol.h"

static const char *const role_names[] = {"none", "entry", "dealloc", "trampoline"};

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: entry_points_check FILE MINOR\n");
        return EXIT_FAILURE;
    }
    struct image_cache *images = image_cache_new();
    struct symbol_cache *symbols = symbol_cache_new("/nonexistent");
    struct image *image = image_cache_get(images, argv[1], 0);
    struct entry_points points;
    bool is_read = entry_points_scan(&points, image, atoi(argv[2]));
    for (size_t i = 0; i < points.roles.capacity; i++) {
        if (entry_points_role(&points, points.roles.keys[i]) != ENTRY_ROLE_NONE) {
            uint64_t address = points.roles.keys[i];
            const char *name = entry_points_name(&points, address);
            printf("%llx %s %s %s\n", (unsigned long long)address,
                   role_names[entry_points_role(&points, address)], name ? name : "-",
                   symbol_name(symbols, image, address));
        }
    }
    entry_points_clear(&points);
    symbol_cache_free(symbols);
    image_cache_free(images);
    return is_read ? EXIT_SUCCESS : EXIT_FAILURE;
}
