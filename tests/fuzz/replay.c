// SPDX-License-Identifier: Apache-2.0
// Runs a harness over the files of a folder, and over no input at all: what a fuzzer once found
// stays found, without a fuzzer.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static int replay_file(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "cannot open %s\n", path);
        return 1;
    }
    size_t capacity = 1 << 20;
    uint8_t *data = malloc(capacity);
    size_t size = data ? fread(data, 1, capacity, file) : 0;
    fclose(file);
    // Handed over in a block of its exact size, so that a read past the end is seen.
    uint8_t *exact = size ? realloc(data, size) : data;
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    DIR *folder = opendir(argv[1]);
    if (!folder) {
        fprintf(stderr, "cannot open %s\n", argv[1]);
        return 1;
    }
    int failed = 0;
    int count = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (entry->d_name[0] != '.') {
            failed += replay_file(argv[1], entry->d_name);
            count++;
        }
    }
    closedir(folder);
    printf("%d inputs replayed\n", count);
    return failed || count == 0;
}
