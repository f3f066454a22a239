// SPDX-License-Identifier: Apache-2.0
#include "launch/environment.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "wire/control.h"
#include "wire/variable.h"

static const char *find_value(char *const *environment, const char *name)
{
    for (; *environment; environment++) {
        const char *value = variable_value(*environment, name);
        if (value) {
            return value;
        }
    }
    return NULL;
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
    while (*environment && !variable_value(*environment, name)) {
        environment++;
    }
    *environment = entry;
}

char **environment_with_agent(char *const *environment, const char *agent, const char *run_dir)
{
    const char *preloaded = find_value(environment, VARIABLE_PRELOAD);
    bool has_agent = preloaded && variable_lists(preloaded, agent);
    size_t count = count_entries(environment);
    size_t array_bytes = (count + 3) * sizeof(char *);
    size_t preload_bytes =
        sizeof VARIABLE_PRELOAD + strlen(agent) + 1 + (preloaded ? strlen(preloaded) : 0) + 1;
    size_t dir_bytes = sizeof CONTROL_DIR_VARIABLE + strlen(run_dir) + 1;

    char **result = mem_alloc(array_bytes + preload_bytes + dir_bytes);
    memcpy(result, environment, count * sizeof(char *));
    char *preload_entry = (char *)result + array_bytes;
    char *dir_entry = preload_entry + preload_bytes;
    snprintf(preload_entry, preload_bytes, VARIABLE_PRELOAD "=%s%s%s", has_agent ? "" : agent,
             preloaded && *preloaded && !has_agent ? ":" : "", preloaded ? preloaded : "");
    snprintf(dir_entry, dir_bytes, CONTROL_DIR_VARIABLE "=%s", run_dir);
    set_entry(result, VARIABLE_PRELOAD, preload_entry);
    set_entry(result, CONTROL_DIR_VARIABLE, dir_entry);
    return result;
}
