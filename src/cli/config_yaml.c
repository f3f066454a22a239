// SPDX-License-Identifier: Apache-2.0
#include "cli/config_yaml.h"

#include <string.h>
#include <yaml.h>

struct reader {
    const struct config *config;
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

static bool read_value(struct reader *reader, const char *key, const yaml_node_t *node,
                       struct error *err)
{
    if (node->type == YAML_SCALAR_NODE) {
        struct config_value value = {.text = text_of(node)};
        return is_null(node) ? true : config_take(reader->config, key, &value, err);
    }
    struct text joined = {0};
    text_add(&joined, "");
    bool is_list = node->type == YAML_SEQUENCE_NODE && join_list(reader, node, &joined);
    struct config_value value = {.text = joined.data, .is_list = is_list, .is_other = !is_list};
    bool is_fine = config_take(reader->config, key, &value, err);
    text_clear(&joined);
    return is_fine;
}

static bool read_root(struct reader *reader, struct error *err)
{
    const yaml_node_t *root = yaml_document_get_root_node(&reader->document);
    if (!root || (root->type == YAML_SCALAR_NODE && is_null(root))) {
        return true;
    }
    if (root->type != YAML_MAPPING_NODE) {
        return error_set(err, "config file '%s' must contain a YAML mapping (got %s)",
                         reader->config->path,
                         root->type == YAML_SEQUENCE_NODE ? "a list" : "a single value");
    }
    for (yaml_node_pair_t *pair = root->data.mapping.pairs.start;
         pair < root->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_document_get_node(&reader->document, pair->key);
        const yaml_node_t *value = yaml_document_get_node(&reader->document, pair->value);
        if (!key || !value || key->type != YAML_SCALAR_NODE) {
            return error_set(err, "a key of config file '%s' is not a text", reader->config->path);
        }
        if (!read_value(reader, text_of(key), value, err)) {
            return false;
        }
    }
    return true;
}

bool config_read_yaml(const struct config *config, const struct text *content, struct error *err)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        return error_set(err, "out of memory");
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)content->data, content->len);
    struct reader reader = {.config = config};
    bool is_fine;
    if (yaml_parser_load(&parser, &reader.document)) {
        is_fine = read_root(&reader, err);
        yaml_document_delete(&reader.document);
    } else {
        is_fine = error_set(err, "invalid YAML in config file '%s': line %zu: %s", config->path,
                            parser.problem_mark.line + 1,
                            parser.problem ? parser.problem : "cannot be read");
    }
    yaml_parser_delete(&parser);
    return is_fine;
}
