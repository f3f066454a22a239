// SPDX-License-Identifier: Apache-2.0
#include "launch/environment.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "wire/control.h"

#define PRELOAD_VARIABLE "LD_PRELOAD"

// The value when `entry` sets `name`, else NULL.
static const char *value_of(const char *entry, const char *name)
{
    size_t len = strlen(name);
    return strncmp(entry, name, len) == 0 && entry[len] == '=' ? entry + len + 1 : NULL;
}

static const char *find_value(char *const *environment, const char *name)
{
    for (; *environment; environment++) {
        const char *value = value_of(*environment, name);
        if (value) {
            return value;
        }
    }
    return NULL;
}

static bool lists(const char *preloaded, const char *agent)
{
    size_t agent_len = strlen(agent);
    while (*preloaded) {
        size_t len = strcspn(preloaded, ": ");
        if (len == agent_len && memcmp(preloaded, agent, len) == 0) {
            return true;
        }
        preloaded += len + (preloaded[len] != '\0');
    }
    return false;
}

static size_t count_entries(char *const *environment)
{
    size_t count = 0;
    while (environment[count]) {
        count++;
    }
    return count;
}

// Puts `entry` where `name` was set, else at the end.
static void set_entry(char **environment, const char *name, char *entry)
{
    while (*environment && !value_of(*environment, name)) {
        environment++;
    }
    *environment = entry;
}

char **environment_with_agent(char *const *environment, const char *agent, const char *run_dir)
{
    const char *preloaded = find_value(environment, PRELOAD_VARIABLE);
    bool has_agent = preloaded && lists(preloaded, agent);
    size_t count = count_entries(environment);
    size_t array_bytes = (count + 3) * sizeof(char *);
    size_t preload_bytes =
        sizeof PRELOAD_VARIABLE + strlen(agent) + 1 + (preloaded ? strlen(preloaded) : 0) + 1;
    size_t dir_bytes = sizeof CONTROL_DIR_VARIABLE + strlen(run_dir) + 1;

    char **result = mem_alloc(array_bytes + preload_bytes + dir_bytes);
    memcpy(result, environment, count * sizeof(char *));
    char *preload_entry = (char *)result + array_bytes;
    char *dir_entry = preload_entry + preload_bytes;
    snprintf(preload_entry, preload_bytes, PRELOAD_VARIABLE "=%s%s%s", has_agent ? "" : agent,
             preloaded && *preloaded && !has_agent ? ":" : "", preloaded ? preloaded : "");
    snprintf(dir_entry, dir_bytes, CONTROL_DIR_VARIABLE "=%s", run_dir);
    set_entry(result, PRELOAD_VARIABLE, preload_entry);
    set_entry(result, CONTROL_DIR_VARIABLE, dir_entry);
    return result;
}
