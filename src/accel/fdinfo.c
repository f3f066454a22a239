// SPDX-License-Identifier: Apache-2.0
#include "accel/fdinfo.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "accel/tree.h"
#include "accel/use.h"
#include "base/map.h"

#define CLIENT_MAX     64   // of one process
#define DESCRIPTOR_MAX 4096 // looked at in one process
#define TEXT_MAX       8192
#define MB_OF_KIB      (1.0 / 1024)
#define NS_PER_S       1e9

static void copy_word(char *to, size_t size, const char *value)
{
    size_t len = strcspn(value, " \t\r\n");
    snprintf(to, size, "%.*s", (int)(len < size ? len : size - 1), value);
}

static double mb_of(const char *value)
{
    char *unit;
    double number = (double)strtoull(value, &unit, 10);
    while (*unit == ' ') {
        unit++;
    }
    if (strncmp(unit, "KiB", 3) == 0) {
        return number * MB_OF_KIB;
    }
    return strncmp(unit, "MiB", 3) == 0 ? number : number * MB_OF_KIB / 1024;
}

static uint64_t hertz_of(const char *value)
{
    char *unit;
    uint64_t number = strtoull(value, &unit, 10);
    while (*unit == ' ') {
        unit++;
    }
    if (strncmp(unit, "MHz", 3) == 0) {
        return number * 1000000;
    }
    return strncmp(unit, "KHz", 3) == 0 ? number * 1000 : number;
}

static struct fdinfo_engine *engine_of(struct fdinfo_client *client, const char *name)
{
    uint64_t key = map_key_of_text(name);
    for (size_t i = 0; i < client->engine_count; i++) {
        if (client->engines[i].key == key) {
            return &client->engines[i];
        }
    }
    if (client->engine_count == FDINFO_ENGINE_MAX) {
        return NULL;
    }
    struct fdinfo_engine *engine = &client->engines[client->engine_count++];
    *engine = (struct fdinfo_engine){.key = key, .capacity = 1};
    return engine;
}

static const char *after(const char *key, const char *prefix)
{
    size_t len = strlen(prefix);
    return strncmp(key, prefix, len) == 0 ? key + len : NULL;
}

// A key of an engine; the longer names first, as the shorter are their beginnings.
static bool take_engine(struct fdinfo_client *client, const char *key, const char *value)
{
    enum { CAPACITY, NANOSECONDS, TOTAL_CYCLES, CYCLES, MAX_FREQUENCY, KEYS };

    static const char *const prefixes[KEYS] = {[CAPACITY] = "drm-engine-capacity-",
                                               [NANOSECONDS] = "drm-engine-",
                                               [TOTAL_CYCLES] = "drm-total-cycles-",
                                               [CYCLES] = "drm-cycles-",
                                               [MAX_FREQUENCY] = "drm-maxfreq-"};
    int which = 0;
    while (which < KEYS && !after(key, prefixes[which])) {
        which++;
    }
    struct fdinfo_engine *engine =
        which < KEYS ? engine_of(client, after(key, prefixes[which])) : NULL;
    uint64_t number = strtoull(value, NULL, 10);
    switch (engine ? which : KEYS) {
    case CAPACITY:
        engine->capacity = number > 0 && number < 1024 ? (unsigned)number : 1;
        break;
    case NANOSECONDS:
        engine->busy = number;
        break;
    case TOTAL_CYCLES:
        engine->total_cycles = number;
        break;
    case CYCLES:
        engine->cycles = number;
        break;
    case MAX_FREQUENCY:
        engine->max_hz = hertz_of(value);
        break;
    default:
        break;
    }
    return which < KEYS;
}

// Some drivers tell times, some cycles, and some both, of which the times are exact.
static void settle_engine(struct fdinfo_engine *engine)
{
    if (engine->busy > 0) {
        engine->total_cycles = 0;
    } else if (engine->total_cycles > 0) {
        engine->busy = engine->cycles;
    } else if (engine->max_hz > 0) {
        engine->busy = (uint64_t)((double)engine->cycles / (double)engine->max_hz * NS_PER_S);
    }
}

// "memory" is what drivers said before there was "resident".
static void take_memory(struct fdinfo_client *client, const char *key, const char *value)
{
    const char *resident = after(key, "drm-resident-");
    const char *region = resident ? resident : after(key, "drm-memory-");
    if (!region) {
        return;
    }
    struct fdinfo_memory *memory = resident ? &client->memory : &client->older;
    bool is_device = strncmp(region, "vram", 4) == 0 || strncmp(region, "local", 5) == 0;
    double *sum = is_device ? &memory->device_mb : &memory->system_mb;
    *sum += mb_of(value);
    memory->is_told = true;
}

static void take(struct fdinfo_client *client, const char *key, const char *value)
{
    if (strcmp(key, "drm-driver") == 0) {
        copy_word(client->driver, sizeof client->driver, value);
    } else if (strcmp(key, "drm-pdev") == 0) {
        copy_word(client->device, sizeof client->device, value);
    } else if (strcmp(key, "drm-client-id") == 0) {
        client->client_id = strtoull(value, NULL, 10);
        client->has_client_id = true;
    } else if (!take_engine(client, key, value)) {
        take_memory(client, key, value);
    }
}

bool fdinfo_parse(const char *text, struct fdinfo_client *client)
{
    *client = (struct fdinfo_client){0};
    while (*text) {
        size_t len = strcspn(text, "\n");
        char line[256];
        snprintf(line, sizeof line, "%.*s", (int)(len < sizeof line ? len : sizeof line - 1), text);
        char *colon = strchr(line, ':');
        if (colon && strncmp(line, "drm-", 4) == 0) {
            *colon = '\0';
            char *value = colon + 1;
            while (isspace((unsigned char)*value)) {
                value++;
            }
            take(client, line, value);
        }
        text += len + (text[len] == '\n' ? 1 : 0);
    }
    for (size_t i = 0; i < client->engine_count; i++) {
        settle_engine(&client->engines[i]);
    }
    client->memory = client->memory.is_told ? client->memory : client->older;
    return client->driver[0] != '\0';
}

struct seen {
    uint64_t keys[CLIENT_MAX];
    size_t count;
};

static bool is_new(struct seen *seen, const struct fdinfo_client *client)
{
    if (!client->has_client_id) {
        return true;
    }
    uint64_t key = map_key(map_key_of_text(client->device), client->client_id + 1);
    for (size_t i = 0; i < seen->count; i++) {
        if (seen->keys[i] == key) {
            return false;
        }
    }
    if (seen->count == CLIENT_MAX) {
        return false;
    }
    seen->keys[seen->count++] = key;
    return true;
}

static bool read_client(int pid, const char *descriptor, struct fdinfo_client *client)
{
    char path[TREE_PATH_MAX];
    char text[TEXT_MAX];
    return tree_path(path, "/proc/%d/fdinfo/%s", pid, descriptor) &&
           tree_read(path, text, sizeof text) > 0 && fdinfo_parse(text, client);
}

uint64_t fdinfo_visit(int pid, void (*visit)(void *context, const struct fdinfo_client *client),
                      void *context)
{
    char path[TREE_PATH_MAX];
    struct seen seen = {.count = 0};
    uint64_t mute = 0;
    uint64_t told = 0;
    DIR *folder = tree_path(path, "/proc/%d/fd", pid) ? opendir(path) : NULL;
    if (!folder) {
        return 0;
    }
    size_t count = 0;
    for (struct dirent *entry = readdir(folder); entry && count < DESCRIPTOR_MAX;
         entry = readdir(folder), count++) {
        char target[64];
        ssize_t len = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
        struct fdinfo_client client;
        if (len <= 0) {
            continue;
        }
        target[len] = '\0';
        if (!use_is_drm(target)) {
            continue;
        }
        if (!read_client(pid, entry->d_name, &client)) {
            mute |= use_render_of(target);
            continue;
        }
        told |= use_render_of(target);
        if (is_new(&seen, &client)) {
            visit(context, &client);
        }
    }
    closedir(folder);
    return mute & ~told;
}
