// SPDX-License-Identifier: Apache-2.0
#include "profile/field.h"

#include <limits.h>
#include <math.h>

#include "base/mem.h"

#define REAL_MAX 1e15 // far above any time, and no sum of these overflows

double field_real(const json_t *object, const char *key)
{
    double value = json_number_value(json_object_get(object, key));
    return isfinite(value) && value > 0 && value < REAL_MAX ? value : 0;
}

int field_integer(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value >= INT_MIN && value <= INT_MAX ? (int)value : 0;
}

uint64_t field_count(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 ? (uint64_t)value : 0;
}

bool field_bool(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

char *field_copy_text(const json_t *text)
{
    if (!json_is_string(text)) {
        return NULL;
    }
    size_t len = json_string_length(text);
    char *copy = mem_copy_bytes(json_string_value(text), len);
    for (size_t i = 0; i < len; i++) {
        if (copy[i] == '\0') {
            copy[i] = ' ';
        }
    }
    return copy;
}

char *field_text(const json_t *object, const char *key)
{
    return field_copy_text(json_object_get(object, key));
}

char **field_texts(const json_t *object, const char *key, size_t *count)
{
    const json_t *list = json_object_get(object, key);
    char **texts = mem_alloc((json_array_size(list) + 1) * sizeof *texts);
    *count = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        char *text = field_copy_text(json_array_get(list, i));
        if (text) {
            texts[(*count)++] = text;
        }
    }
    return texts;
}
