// SPDX-License-Identifier: Apache-2.0
#include "cli/config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

struct reader {
    const char *path;
    const struct option_table *table;
    void *settings;
    struct text *warnings;
    yaml_document_t document;
};

static const char *text_of(const yaml_node_t *node)
{
    return (const char *)node->data.scalar.value;
}

static bool is_null(const yaml_node_t *node)
{
    const char *text = text_of(node);
    return node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           (text[0] == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0);
}

static bool join_list(struct reader *reader, const yaml_node_t *list, struct text *joined)
{
    for (yaml_node_item_t *item = list->data.sequence.items.start;
         item < list->data.sequence.items.top; item++) {
        const yaml_node_t *node = yaml_document_get_node(&reader->document, *item);
        if (!node || node->type != YAML_SCALAR_NODE) {
            return false;
        }
        text_add(joined, joined->len > 0 ? "," : "");
        text_add(joined, text_of(node));
    }
    return true;
}

static bool read_value(struct reader *reader, const struct option *option, const char *key,
                       const yaml_node_t *value, struct error *err)
{
    struct text text = {0};
    text_add(&text, "");
    bool is_given = true;
    bool is_fine = false;
    if (value->type == YAML_SCALAR_NODE) {
        is_given = !is_null(value);
        text_add(&text, text_of(value));
        is_fine = true;
    } else if (value->type == YAML_SEQUENCE_NODE && option->kind == OPTION_TEXT) {
        is_fine = join_list(reader, value, &text);
    }
    if (!is_fine) {
        error_set(err, "%s: its value is not of a kind that this option takes", key);
    } else if (is_given) {
        is_fine = option_store(option, key, text.data, reader->settings, err);
    }
    text_clear(&text);
    return is_fine;
}

static bool read_pair(struct reader *reader, const yaml_node_pair_t *pair, struct error *err)
{
    const yaml_node_t *key = yaml_document_get_node(&reader->document, pair->key);
    const yaml_node_t *value = yaml_document_get_node(&reader->document, pair->value);
    if (!key || !value || key->type != YAML_SCALAR_NODE) {
        return error_set(err, "a key of config file '%s' is not a text", reader->path);
    }
    const struct option *option = option_by_key(reader->table, text_of(key));
    if (!option) {
        text_format(reader->warnings, "unknown config option '%s' (ignored)\n", text_of(key));
        return true;
    }
    return read_value(reader, option, text_of(key), value, err)
               ? true
               : error_wrap(err, "config file '%s'", reader->path);
}

static bool read_root(struct reader *reader, struct error *err)
{
    const yaml_node_t *root = yaml_document_get_root_node(&reader->document);
    if (!root || (root->type == YAML_SCALAR_NODE && is_null(root))) {
        return true;
    }
    if (root->type != YAML_MAPPING_NODE) {
        return error_set(err, "config file '%s' must contain a YAML mapping (got %s)", reader->path,
                         root->type == YAML_SEQUENCE_NODE ? "a list" : "a single value");
    }
    for (yaml_node_pair_t *pair = root->data.mapping.pairs.start;
         pair < root->data.mapping.pairs.top; pair++) {
        if (!read_pair(reader, pair, err)) {
            return false;
        }
    }
    return true;
}

static bool read_file(struct reader *reader, FILE *file, struct error *err)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        return error_set(err, "out of memory");
    }
    yaml_parser_set_input_file(&parser, file);
    bool is_fine;
    if (yaml_parser_load(&parser, &reader->document)) {
        is_fine = read_root(reader, err);
        yaml_document_delete(&reader->document);
    } else {
        is_fine = error_set(err, "invalid YAML in config file '%s': line %zu: %s", reader->path,
                            parser.problem_mark.line + 1,
                            parser.problem ? parser.problem : "cannot be read");
    }
    yaml_parser_delete(&parser);
    return is_fine;
}

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

bool config_load(const char *path, const struct option_table *table, void *settings,
                 struct text *warnings, struct error *err)
{
    FILE *file = open_file(path, err);
    if (!file) {
        return false;
    }
    struct reader reader = {
        .path = path, .table = table, .settings = settings, .warnings = warnings};
    bool is_fine = read_file(&reader, file, err);
    fclose(file);
    return is_fine;
}
