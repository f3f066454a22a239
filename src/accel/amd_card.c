// SPDX-License-Identifier: Apache-2.0
#include "accel/amd_card.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accel/tree.h"

#define AMD_VENDOR   0x1002
#define CARD_LIMIT   64
#define NODE_LIMIT   128
#define BYTES_PER_MB 1048576.0
#define FIRST_RENDER 128

static bool read_of_card(int card, const char *name, unsigned long long *number)
{
    char path[TREE_PATH_MAX];
    return tree_path(path, "/sys/class/drm/card%d/device/%s", card, name) &&
           tree_read_number(path, number);
}

static void read_address(struct amd_card *card)
{
    char path[TREE_PATH_MAX];
    char text[1024];
    if (!tree_path(path, "/sys/class/drm/card%d/device/uevent", card->card) ||
        tree_read(path, text, sizeof text) == 0) {
        return;
    }
    const char *found = strstr(text, "PCI_SLOT_NAME=");
    if (found) {
        sscanf(found, "PCI_SLOT_NAME=%31s", card->address);
    }
}

static void read_nodes(struct amd_card *card)
{
    char path[TREE_PATH_MAX];
    card->render = 1ull << card->card;
    DIR *folder =
        tree_path(path, "/sys/class/drm/card%d/device/drm", card->card) ? opendir(path) : NULL;
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder)) {
        int number;
        if (sscanf(entry->d_name, "renderD%d", &number) == 1 && number >= FIRST_RENDER &&
            number < FIRST_RENDER + 64) {
            card->render |= 1ull << (number - FIRST_RENDER);
        }
    }
    if (folder) {
        closedir(folder);
    }
}

static unsigned long property(const char *text, const char *name)
{
    size_t len = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n' ? 1 : 0;
        if (strncmp(line, name, len) == 0 && line[len] == ' ') {
            return strtoul(line + len, NULL, 10);
        }
    }
    return 0;
}

// The compute driver writes the address as a number: bus, device and function.
static bool is_at(const char *properties, const char *address)
{
    unsigned domain;
    unsigned bus;
    unsigned slot;
    unsigned function;
    if (sscanf(address, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4) {
        return false;
    }
    return property(properties, "location_id") == (bus << 8 | slot << 3 | function) &&
           property(properties, "domain") == domain;
}

static void find_kfd(struct amd_card *card)
{
    char path[TREE_PATH_MAX];
    char text[4096];
    for (int node = 0; node < NODE_LIMIT && card->kfd_id == 0; node++) {
        unsigned long long id = 0;
        if (!tree_path(path, "/sys/class/kfd/kfd/topology/nodes/%d/gpu_id", node) ||
            !tree_read_number(path, &id)) {
            return;
        }
        if (id != 0 && tree_path(path, "/sys/class/kfd/kfd/topology/nodes/%d/properties", node) &&
            tree_read(path, text, sizeof text) > 0 && is_at(text, card->address)) {
            card->kfd_id = (unsigned long)id;
        }
    }
}

size_t amd_card_find(struct amd_card cards[AMD_CARD_MAX])
{
    size_t count = 0;
    for (int number = 0; number < CARD_LIMIT && count < AMD_CARD_MAX; number++) {
        unsigned long long value = 0;
        if (!read_of_card(number, "vendor", &value) || value != AMD_VENDOR) {
            continue;
        }
        struct amd_card *card = &cards[count++];
        *card = (struct amd_card){.card = number};
        read_address(card);
        read_nodes(card);
        find_kfd(card);
        if (read_of_card(number, "mem_info_vram_total", &value)) {
            card->total_mb = (double)value / BYTES_PER_MB;
        }
    }
    return count;
}

bool amd_card_busy(const struct amd_card *card, double *busy)
{
    unsigned long long percent;
    if (!read_of_card(card->card, "gpu_busy_percent", &percent) || percent > 100) {
        return false;
    }
    *busy = (double)percent / 100;
    return true;
}

bool amd_card_used_mb(const struct amd_card *card, double *used_mb)
{
    unsigned long long bytes;
    if (!read_of_card(card->card, "mem_info_vram_used", &bytes)) {
        return false;
    }
    *used_mb = (double)bytes / BYTES_PER_MB;
    return true;
}

bool amd_card_process_mb(const struct amd_card *card, int pid, double *used_mb)
{
    char path[TREE_PATH_MAX];
    unsigned long long bytes;
    if (card->kfd_id == 0 ||
        !tree_path(path, "/sys/class/kfd/kfd/proc/%d/vram_%lu", pid, card->kfd_id) ||
        !tree_read_number(path, &bytes)) {
        return false;
    }
    *used_mb = (double)bytes / BYTES_PER_MB;
    return true;
}
