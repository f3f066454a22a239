// SPDX-License-Identifier: Apache-2.0
// Saves the sample profile, for check_document.py: save_sample OUT SOURCE_PATH, or OUT alone for
// an empty one.
#include <stdio.h>
#include <stdlib.h>

#include "profile/save.h"
#include "sample.h"

int main(int argc, char **argv)
{
    struct profile *profile = argc == 3 ? sample_profile(argv[2]) : profile_new();
    char *elsewhere;
    struct error err;
    if (argc < 2 || !profile_save(profile, argv[1], NULL, &elsewhere, &err) || elsewhere) {
        fprintf(stderr, "not saved\n");
        return EXIT_FAILURE;
    }
    profile_free(profile);
    return EXIT_SUCCESS;
}
