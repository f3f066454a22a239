// SPDX-License-Identifier: Apache-2.0
// Prints a saved profile as the terminal shows it: render PROFILE WIDTH [color] [ascii] [reduced].
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/load.h"
#include "render/terminal.h"

int main(int argc, char **argv)
{
    struct profile *profile;
    struct error err;
    if (argc < 3 || !profile_load(&profile, argv[1], &err)) {
        fprintf(stderr, "%s\n", argc < 3 ? "usage: render PROFILE WIDTH [WORD]..." : err.text);
        return EXIT_FAILURE;
    }
    struct terminal_options options = {.width = (unsigned)atoi(argv[2]), .is_utf8 = true};
    for (int i = 3; i < argc; i++) {
        options.has_color |= strcmp(argv[i], "color") == 0;
        options.is_utf8 &= strcmp(argv[i], "ascii") != 0;
        options.is_reduced |= strcmp(argv[i], "reduced") == 0;
    }
    struct text out = {0};
    terminal_render(profile, &options, &out);
    fwrite(out.data, 1, out.len, stdout);
    text_clear(&out);
    profile_free(profile);
    return EXIT_SUCCESS;
}
