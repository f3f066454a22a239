// SPDX-License-Identifier: Apache-2.0
#include "accel/nvml_bus.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "accel/tree.h"

#define FOLDER "/proc/driver/nvidia/gpus"

static bool read_minor(const char *address, int *minor)
{
    char path[TREE_PATH_MAX];
    char text[4096];
    if (!tree_path(path, FOLDER "/%s/information", address) ||
        tree_read(path, text, sizeof text) == 0) {
        return false;
    }
    const char *found = strstr(text, "Device Minor:");
    return found && sscanf(found, "Device Minor: %d", minor) == 1 && *minor >= 0;
}

size_t nvml_bus_find(struct nvml_bus *list, size_t max)
{
    char path[TREE_PATH_MAX];
    size_t count = 0;
    DIR *folder = tree_path(path, FOLDER) ? opendir(path) : NULL;
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry && count < max;
         entry = readdir(folder)) {
        struct nvml_bus *bus = &list[count];
        int len = snprintf(bus->address, sizeof bus->address, "%.31s", entry->d_name);
        if (entry->d_name[0] != '.' && len == (int)strlen(entry->d_name) &&
            read_minor(bus->address, &bus->minor)) {
            count++;
        }
    }
    if (folder) {
        closedir(folder);
    }
    return count;
}
