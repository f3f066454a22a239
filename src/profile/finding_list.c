// SPDX-License-Identifier: Apache-2.0
#include "profile/finding_list.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "profile/field.h"
#include "profile/member.h"

#define VALUE_DECIMALS  6
#define WEIGHT_DECIMALS 3

static void write_evidence(struct writer *writer, const struct finding *finding)
{
    writer_key(writer, "evidence");
    writer_begin_list(writer);
    for (size_t i = 0; i < finding->evidence_count; i++) {
        const struct finding_evidence *evidence = &finding->evidence[i];
        writer_begin_object(writer);
        writer_key(writer, "error");
        if (evidence->error >= 0) {
            writer_real(writer, evidence->error, VALUE_DECIMALS);
        } else {
            writer_null(writer);
        }
        member_text(writer, "label", evidence->label);
        member_text(writer, "unit", evidence->unit);
        writer_key(writer, "value");
        writer_real(writer, evidence->value, VALUE_DECIMALS);
        writer_end_object(writer);
    }
    writer_end_list(writer);
}

static void write_places(struct writer *writer, const struct finding *finding)
{
    writer_key(writer, "where");
    writer_begin_list(writer);
    for (size_t i = 0; i < finding->place_count; i++) {
        const struct finding_place *place = &finding->places[i];
        writer_begin_object(writer);
        member_text(writer, "file", place->file);
        member_text(writer, "function", place->function);
        writer_key(writer, "line");
        if (place->line > 0) {
            writer_integer(writer, place->line);
        } else {
            writer_null(writer);
        }
        member_text(writer, "thread", place->thread);
        writer_end_object(writer);
    }
    writer_end_list(writer);
}

void finding_list_write(struct writer *writer, const struct finding_list *list)
{
    writer_begin_list(writer);
    for (size_t i = 0; i < list->count; i++) {
        const struct finding *finding = &list->items[i];
        writer_begin_object(writer);
        write_evidence(writer, finding);
        member_text(writer, "how_measured", finding->how_measured);
        member_text(writer, "id", finding->id);
        member_text(writer, "next_step", finding->next_step);
        member_text(writer, "sentence", finding->sentence);
        member_text(writer, "severity", finding_severity_names[finding->severity]);
        writer_key(writer, "weight");
        writer_real(writer, finding->weight, WEIGHT_DECIMALS);
        write_places(writer, finding);
        writer_end_object(writer);
    }
    writer_end_list(writer);
}

static char *text_or_empty(const json_t *object, const char *key)
{
    char *text = field_text(object, key);
    return text ? text : mem_copy_text("");
}

static void load_evidence(const json_t *list, struct finding *finding)
{
    for (size_t i = 0; i < json_array_size(list) && i < FINDING_EVIDENCE_MAX; i++) {
        const json_t *object = json_array_get(list, i);
        const json_t *error = json_object_get(object, "error");
        finding->evidence[finding->evidence_count++] = (struct finding_evidence){
            .label = text_or_empty(object, "label"),
            .value = field_real(object, "value"),
            .unit = text_or_empty(object, "unit"),
            .error = json_is_number(error) ? field_real(object, "error") : -1,
        };
    }
}

static void load_places(const json_t *list, struct finding *finding)
{
    for (size_t i = 0; i < json_array_size(list) && i < FINDING_PLACE_MAX; i++) {
        const json_t *object = json_array_get(list, i);
        int line = field_integer(object, "line");
        finding->places[finding->place_count++] = (struct finding_place){
            .file = field_text(object, "file"),
            .line = line > 0 ? line : 0,
            .function = field_text(object, "function"),
            .thread = field_text(object, "thread"),
        };
    }
}

static enum finding_severity load_severity(const json_t *object)
{
    const char *name = json_string_value(json_object_get(object, "severity"));
    for (int i = 0; name && i < FINDING_SEVERITY_COUNT; i++) {
        if (strcmp(name, finding_severity_names[i]) == 0) {
            return (enum finding_severity)i;
        }
    }
    return FINDING_info;
}

void finding_list_load(const json_t *root, struct finding_list *list)
{
    const json_t *objects = json_object_get(root, "findings");
    for (size_t i = 0; i < json_array_size(objects) && i < FINDING_MAX; i++) {
        const json_t *object = json_array_get(objects, i);
        struct finding finding = {
            .id = text_or_empty(object, "id"),
            .severity = load_severity(object),
            .weight = fmin(1, field_real(object, "weight")),
            .sentence = text_or_empty(object, "sentence"),
            .how_measured = text_or_empty(object, "how_measured"),
            .next_step = text_or_empty(object, "next_step"),
        };
        load_evidence(json_object_get(object, "evidence"), &finding);
        load_places(json_object_get(object, "where"), &finding);
        list->items = mem_grow(list->items, list->count, &list->capacity, sizeof *list->items);
        list->items[list->count++] = finding;
    }
    list->left_out = field_count(root, "findings_left_out");
}
