// SPDX-License-Identifier: Apache-2.0
#include "cli/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "cli/config_toml.h"
#include "cli/config_yaml.h"
#include "launch/path.h"

#define MAX_BYTES (1024u * 1024)

static FILE *open_file(const char *path, struct error *err)
{
    FILE *file = fopen(path, "re");
    struct stat status;
    if (file && fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode)) {
        fclose(file);
        file = NULL;
        errno = EISDIR;
    }
    if (!file && errno == ENOENT) {
        error_set(err,
                  "config file '%s' not found; -c names a YAML file, and Python code to run goes "
                  "after ---: scalene run --- -c CODE",
                  path);
    } else if (!file) {
        error_set(err, "config file '%s' cannot be read: %s", path, strerror(errno));
    }
    return file;
}

bool config_read_text(const char *path, struct text *content, struct error *err)
{
    FILE *file = open_file(path, err);
    if (!file) {
        return false;
    }
    char part[4096];
    size_t len;
    text_add(content, "");
    while (content->len <= MAX_BYTES && (len = fread(part, 1, sizeof part, file)) > 0) {
        text_add_bytes(content, part, len);
    }
    bool has_failed = ferror(file);
    fclose(file);
    if (has_failed) {
        return error_set(err, "config file '%s' cannot be read", path);
    }
    return content->len <= MAX_BYTES
               ? true
               : error_set(err, "config file '%s' is longer than 1 MB; name another one", path);
}

static bool is_toml(const char *path)
{
    size_t len = strlen(path);
    return len > 5 && strcmp(path + len - 5, ".toml") == 0;
}

bool config_load(const struct config *config, struct error *err)
{
    struct text content = {0};
    bool is_fine = config_read_text(config->path, &content, err) &&
                   (is_toml(config->path) ? config_read_toml(config, &content, err)
                                          : config_read_yaml(config, &content, err));
    text_clear(&content);
    return is_fine;
}

// A name of a program is looked for in PATH, wherever it is written.
static bool is_relative_path(const struct option *option, const char *value)
{
    bool is_path = option->content == OPTION_FILE || option->content == OPTION_FOLDER ||
                   (option->content == OPTION_PROGRAM && strchr(value, '/'));
    return is_path && value[0] && value[0] != '/';
}

static void note_unknown(const struct config *config, const char *key)
{
    const char *meant = option_nearest(config->table, key);
    text_format(config->notices, "unknown config option '%s' (ignored)%s%s%s\n", key,
                meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
}

bool config_take(const struct config *config, const char *key, const struct config_value *value,
                 struct error *err)
{
    const struct option *option = option_by_key(config->table, key);
    if (!option) {
        note_unknown(config, key);
        return true;
    }
    bool is_fine;
    if (value->is_other || (value->is_list && option->kind != OPTION_TEXT)) {
        is_fine = error_set(err, "%s: its value is not of a kind that this option takes", key);
    } else if (config->folder && is_relative_path(option, value->text)) {
        char *path = path_join(config->folder, value->text);
        is_fine = option_store(option, key, path, config->settings, err);
        free(path);
    } else {
        is_fine = option_store(option, key, value->text, config->settings, err);
    }
    return is_fine ? true : error_wrap(err, "config file '%s'", config->path);
}
