// SPDX-License-Identifier: Apache-2.0
#include "cli/option.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "cli/nearest.h"

#define MAX_OPTIONS 64

static bool takes_value(const struct option *option)
{
    return option->argument != NULL;
}

static bool read_flag(const char *value, bool *flag)
{
    static const char *const truths[] = {"true", "yes", "on", "1"};
    static const char *const lies[] = {"false", "no", "off", "0"};
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) {
        if (strcasecmp(value, truths[i]) == 0) {
            *flag = true;
            return true;
        }
        if (strcasecmp(value, lies[i]) == 0) {
            *flag = false;
            return true;
        }
    }
    return false;
}

static bool store_flag(const struct option *option, const char *name, const char *value,
                       bool *target, struct error *err)
{
    bool is_given;
    if (!read_flag(value, &is_given)) {
        return error_set(err, "%s: '%s' is neither true nor false", name, value);
    }
    *target = is_given == (option->kind == OPTION_TRUE);
    return true;
}

static bool store_number(const struct option *option, const char *name, const char *value,
                         double *target, struct error *err)
{
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end || isnan(number)) {
        return error_set(err, "%s: '%s' is not a number", name, value);
    }
    if (number < option->least || number > option->most) {
        return error_set(err, "%s: %s is out of range; it can be %g to %g", name, value,
                         option->least, option->most);
    }
    *target = number;
    return true;
}

static bool store_count(const struct option *option, const char *name, const char *value,
                        uint64_t *target, struct error *err)
{
    char *end;
    unsigned long long number = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end || number == ULLONG_MAX) {
        return error_set(err, "%s: '%s' is not a whole number", name, value);
    }
    if (option->most > 0 && ((double)number < option->least || (double)number > option->most)) {
        return error_set(err, "%s: %s is out of range; it can be %.0f to %.0f", name, value,
                         option->least, option->most);
    }
    *target = number;
    return true;
}

bool option_store(const struct option *option, const char *name, const char *value, void *settings,
                  struct error *err)
{
    void *target = (char *)settings + option->target;
    switch (option->kind) {
    case OPTION_TRUE:
    case OPTION_FALSE:
        return store_flag(option, name, value, target, err);
    case OPTION_TEXT:
        free(*(char **)target);
        *(char **)target = mem_copy_text(value);
        return true;
    case OPTION_NUMBER:
        return store_number(option, name, value, target, err);
    case OPTION_COUNT:
        return store_count(option, name, value, target, err);
    case OPTION_NOTHING:
        return true;
    }
    return true;
}

const char *option_nearest(const struct option_table *table, const char *name)
{
    const char *meant = NULL;
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < table->count; i++) {
        const struct option *option = &table->options[i];
        if (option->group <= OPTION_ADVANCED && nearest_improves(name, option->name, &best)) {
            meant = option->name;
        }
    }
    return meant;
}

static void set_unknown(const struct option_table *table, const char *word, size_t name_len,
                        struct error *err)
{
    char name[64] = "";
    strncat(name, word + 2, name_len < sizeof name ? name_len : sizeof name - 1);
    const char *meant = option_nearest(table, name);
    if (meant) {
        error_set(err, "unknown option '--%s'; did you mean --%s?", name, meant);
    } else {
        error_set(err, "unknown option '--%s'; see --help and --help-advanced", name);
    }
}

// `word` is "--name" or "--name=value"; the whole name, or a beginning that no other has.
static const struct option *find_long(const struct option_table *table, const char *word,
                                      struct error *err)
{
    size_t len = strcspn(word + 2, "=");
    const struct option *found = NULL;
    const struct option *other = NULL;
    for (size_t i = 0; i < table->count; i++) {
        const struct option *option = &table->options[i];
        if (strncmp(option->name, word + 2, len) != 0) {
            continue;
        }
        if (option->name[len] == '\0') {
            return option;
        }
        if (option->group != OPTION_LEGACY && !option->is_whole_only) {
            other = found;
            found = option;
        }
    }
    if (other) {
        error_set(err, "ambiguous option '%.*s'; it could be --%s or --%s", (int)len + 2, word,
                  other->name, found->name);
        return NULL;
    }
    if (!found) {
        set_unknown(table, word, len, err);
    }
    return found;
}

static const struct option *find_short(const struct option_table *table, const char *word,
                                       struct error *err)
{
    for (size_t i = 0; i < table->count; i++) {
        if (table->options[i].letter == word[1]) {
            return &table->options[i];
        }
    }
    error_set(err, "unknown option '%s'; see --help (options of Python itself go after ---)", word);
    return NULL;
}

static bool ends_options(const struct option_table *table, const char *word)
{
    if (word[0] != '-' || word[1] == '\0' || strcmp(word, "--") == 0 || strcmp(word, "---") == 0) {
        return true;
    }
    return word[1] != '-' && table->stop_letters && strchr(table->stop_letters, word[1]);
}

// What is written together with the option: "--name=VALUE", "-oVALUE"; NULL: nothing.
static const char *attached_value(const char *word)
{
    if (word[1] != '-') {
        return word[2] ? word + 2 : NULL;
    }
    const char *equals = strchr(word, '=');
    return equals ? equals + 1 : NULL;
}

struct cursor {
    int count;
    char **words;
    int index;
};

// Reads one option; the cursor is left at the last word it took.
static bool parse_one(const struct option *option, struct cursor *cursor, void *settings,
                      struct error *err)
{
    char name[80] = "option --";
    strncat(name, option->name, sizeof name - strlen(name) - 1);
    const char *value = attached_value(cursor->words[cursor->index]);
    if (!takes_value(option)) {
        return value ? error_set(err, "%s takes no value", name)
                     : option_store(option, name, "true", settings, err);
    }
    if (!value) {
        bool has_next = cursor->index + 1 < cursor->count;
        value = has_next ? cursor->words[cursor->index + 1] : "--";
        if (value[0] == '-' && value[1]) {
            return error_set(err, "%s needs a value: %s", name, option->argument);
        }
        cursor->index++;
    }
    return option_store(option, name, value, settings, err);
}

static bool check_exclusions(const struct option_table *table, const bool *seen, struct error *err)
{
    for (size_t i = 0; i < table->count; i++) {
        for (size_t j = 0; j < table->count && seen[i] && table->options[i].excludes; j++) {
            if (seen[j] && strcmp(table->options[j].name, table->options[i].excludes) == 0) {
                return error_set(err, "options --%s and --%s exclude each other",
                                 table->options[i].name, table->options[j].name);
            }
        }
    }
    return true;
}

bool option_parse(const struct option_table *table, int count, char **words, void *settings,
                  int *used, struct error *err)
{
    bool seen[MAX_OPTIONS] = {false};
    struct cursor cursor = {.count = count, .words = words};
    for (; cursor.index < count && !ends_options(table, words[cursor.index]); cursor.index++) {
        const char *word = words[cursor.index];
        const struct option *option =
            word[1] == '-' ? find_long(table, word, err) : find_short(table, word, err);
        if (!option || !parse_one(option, &cursor, settings, err)) {
            return false;
        }
        seen[option - table->options] = true;
    }
    *used = cursor.index;
    return check_exclusions(table, seen, err);
}

static bool keys_match(const char *key, const char *known)
{
    for (; *key && *known; key++, known++) {
        bool is_same = *key == *known || (*key == '_' && *known == '-');
        if (!is_same) {
            return false;
        }
    }
    return *key == *known;
}

const struct option *option_by_key(const struct option_table *table, const char *key)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct option *option = &table->options[i];
        bool is_key = option->group != OPTION_LEGACY && !option->is_line_only;
        if ((is_key && keys_match(key, option->name)) ||
            (option->key_alias && keys_match(key, option->key_alias))) {
            return option;
        }
    }
    return NULL;
}

void option_clear(const struct option_table *table, void *settings)
{
    for (size_t i = 0; i < table->count; i++) {
        if (table->options[i].kind == OPTION_TEXT) {
            char **text = (char **)((char *)settings + table->options[i].target);
            free(*text);
            *text = NULL;
        }
    }
}

bool option_parse_around(const struct option_table *table, int count, char **words, void *settings,
                         const struct option_operand *operand, struct error *err)
{
    for (int i = 0; i < count; i++) {
        int used;
        if (!option_parse(table, count - i, words + i, settings, &used, err)) {
            return false;
        }
        i += used;
        if (i < count && *operand->word) {
            return error_set(err, "%s; '%s' is one too many", operand->rule, words[i]);
        }
        if (i < count) {
            *operand->word = words[i];
        }
    }
    return true;
}
