// SPDX-License-Identifier: Apache-2.0
#include "scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void scratch_open(struct scratch *scratch)
{
    const char *parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(scratch->folder, sizeof scratch->folder, "%s/scalene-test-XXXXXX", parent);
    if (!mkdtemp(scratch->folder)) {
        perror("mkdtemp");
        abort();
    }
    snprintf(scratch->path, sizeof scratch->path, "%s/ring", scratch->folder);
}

void scratch_close(struct scratch *scratch)
{
    DIR *folder = opendir(scratch->folder);
    if (!folder) {
        return;
    }
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        unlinkat(dirfd(folder), entry->d_name, 0);
    }
    closedir(folder);
    rmdir(scratch->folder);
}
