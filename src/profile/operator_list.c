// SPDX-License-Identifier: Apache-2.0
#include "profile/operator_list.h"

#include <string.h>

#include "base/mem.h"
#include "profile/field.h"

#define SECOND_DECIMALS 9

static void write_one(struct writer *writer, const struct profile_operator *one)
{
    writer_begin_object(writer);
    writer_key(writer, "count");
    writer_unsigned(writer, one->count);
    writer_key(writer, "device");
    writer_text(writer, one->is_device ? "gpu" : "cpu");
    writer_key(writer, "filename");
    writer_text(writer, one->file); // null where the trace does not say
    writer_key(writer, "lineno");
    writer_integer(writer, one->line);
    writer_key(writer, "name");
    writer_text(writer, one->name);
    writer_key(writer, "seconds");
    writer_real(writer, one->seconds, SECOND_DECIMALS);
    writer_end_object(writer);
}

void operator_list_write(struct writer *writer, const struct profile_operators *operators)
{
    writer_key(writer, "trace_operators");
    writer_begin_list(writer);
    for (size_t i = 0; i < operators->count; i++) {
        write_one(writer, &operators->list[i]);
    }
    writer_end_list(writer);
    writer_key(writer, "trace_operators_left_out");
    writer_unsigned(writer, operators->left_out);
}

void operator_list_load(const json_t *root, struct profile_operators *operators)
{
    const json_t *list = json_object_get(root, "trace_operators");
    for (size_t i = 0; i < json_array_size(list) && i < PROFILE_OPERATORS_MAX; i++) {
        const json_t *object = json_array_get(list, i);
        const char *device = json_string_value(json_object_get(object, "device"));
        char *name = field_text(object, "name");
        operators->list = mem_grow(operators->list, operators->count, &operators->capacity,
                                   sizeof *operators->list);
        operators->list[operators->count++] = (struct profile_operator){
            .name = name ? name : mem_copy_text(""),
            .is_device = device && strcmp(device, "gpu") == 0,
            .file = field_text(object, "filename"),
            .line = field_integer(object, "lineno"),
            .count = field_count(object, "count"),
            .seconds = field_real(object, "seconds"),
        };
    }
    operators->left_out = field_count(root, "trace_operators_left_out");
}
