// SPDX-License-Identifier: Apache-2.0
#include "cli/config_toml.h"

#include <string.h>

#include "cli/toml.h"

#define TABLE "tool.scalene"

struct taking {
    const struct config *config; // NULL: only looked for
    bool has_table;
};

static bool take(void *context, const struct toml_entry *entry, struct error *err)
{
    struct taking *taking = context;
    size_t len = strlen(TABLE);
    if (strncmp(entry->path, TABLE, len) != 0 || (entry->path[len] && entry->path[len] != '.')) {
        return true;
    }
    taking->has_table = true;
    if (!taking->config || entry->kind == TOML_TABLE) {
        return true;
    }
    const char *key = entry->path[len] ? entry->path + len + 1 : "";
    struct config_value value = {
        .text = entry->text,
        .is_list = entry->kind == TOML_LIST,
        .is_other = entry->kind == TOML_OTHER,
    };
    return config_take(taking->config, key, &value, err);
}

bool config_read_toml(const struct config *config, const struct text *content, struct error *err)
{
    struct taking taking = {.config = config};
    struct toml_taker taker = {.context = &taking, .take = take};
    unsigned line = 0;
    if (toml_read(content->data, content->len, &taker, &line, err)) {
        return true;
    }
    return line ? error_wrap(err, "invalid TOML in config file '%s': line %u", config->path, line)
                : false;
}

bool config_toml_has_table(const struct text *content)
{
    struct taking taking = {0};
    struct toml_taker taker = {.context = &taking, .take = take};
    struct error ignored;
    unsigned line;
    if (!memmem(content->data, content->len, "scalene", strlen("scalene"))) {
        return false;
    }
    return toml_read(content->data, content->len, &taker, &line, &ignored)
               ? taking.has_table
               : memmem(content->data, content->len, TABLE, strlen(TABLE)) != NULL;
}
