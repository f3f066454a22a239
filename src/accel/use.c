// SPDX-License-Identifier: Apache-2.0
#include "accel/use.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "accel/tree.h"

#define DESCRIPTOR_MAX 4096 // looked at in one process
#define FIRST_RENDER   128
#define DEVICE_BITS    64

// The number that the rest of the name is; -1 when it is none.
static int number_after(const char *name, const char *prefix)
{
    size_t len = strlen(prefix);
    if (strncmp(name, prefix, len) != 0 || name[len] < '0' || name[len] > '9') {
        return -1;
    }
    char *end;
    long number = strtol(name + len, &end, 10);
    return *end == '\0' && number < 65536 ? (int)number : -1;
}

static void add_bit(uint64_t *bits, int number)
{
    if (number >= 0 && number < DEVICE_BITS) {
        *bits |= 1ull << number;
    }
}

static void add_target(struct use *use, const char *target)
{
    if (strncmp(target, "/dev/", 5) != 0) {
        return;
    }
    const char *name = target + 5;
    add_bit(&use->nvidia, number_after(name, "nvidia"));
    add_bit(&use->render, number_after(name, "dri/renderD") - FIRST_RENDER);
    add_bit(&use->render, number_after(name, "dri/card"));
    use->has_kfd |= strcmp(name, "kfd") == 0;
    use->has_neuron |= number_after(name, "neuron") >= 0;
    use->has_dxg |= strcmp(name, "dxg") == 0;
}

bool use_is_empty(const struct use *use)
{
    return !use->nvidia && !use->render && !use->has_kfd && !use->has_neuron && !use->has_dxg;
}

bool use_is_drm(const char *target)
{
    return strncmp(target, "/dev/dri/", 9) == 0;
}

uint64_t use_render_of(const char *target)
{
    struct use use = {0};
    add_target(&use, target);
    return use.render;
}

bool use_look(int pid, struct use *use)
{
    char path[TREE_PATH_MAX];
    *use = (struct use){0};
    DIR *folder = tree_path(path, "/proc/%d/fd", pid) ? opendir(path) : NULL;
    if (!folder) {
        return false;
    }
    size_t count = 0;
    for (struct dirent *entry = readdir(folder); entry && count < DESCRIPTOR_MAX;
         entry = readdir(folder), count++) {
        char target[64]; // names of devices are short
        ssize_t len = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
        if (len > 0) {
            target[len] = '\0';
            add_target(use, target);
        }
    }
    closedir(folder);
    return true;
}
