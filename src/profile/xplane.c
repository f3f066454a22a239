// SPDX-License-Identifier: Apache-2.0
#include "profile/xplane.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "profile/wire_form.h"

#define EVENT_MAX 4000000u
#define TEXT_MAX  4096u
#define PS_PER_US 1e6
#define NS_PER_US 1e3

// Field numbers, message by message, as the format's own description has them.
enum { SPACE_PLANE = 1 };

enum { PLANE_NAME = 2, PLANE_LINE = 3, PLANE_EVENT_NAME = 4, PLANE_STAT_NAME = 5 };

enum { ENTRY_KEY = 1, ENTRY_VALUE = 2 };

enum { METADATA_NAME = 2, METADATA_STAT = 5 };

enum { LINE_ID = 1, LINE_NAME = 2, LINE_TIME_NS = 3, LINE_EVENT = 4 };

enum { EVENT_METADATA = 1, EVENT_OFFSET_PS = 2, EVENT_LENGTH_PS = 3, EVENT_STAT = 4 };

enum { STAT_METADATA = 1, STAT_UNSIGNED = 3, STAT_SIGNED = 4, STAT_TEXT = 5, STAT_REFERENCE = 7 };

// A plane is a device, or the host; names are told once and then by number.
struct plane {
    json_t *events; // of the whole document
    int64_t number;
    struct map event_names; // number to message, as index + 1 of `messages`
    struct map stat_names;
    struct wire_message *messages;
    size_t count;
    size_t capacity;
};

// The arguments by which events are joined and placed; the many others are left where they are.
static const char *const arguments[] = {"hlo_op", "hlo_module", "source", "correlation_id"};

static json_t *text_of(struct wire_message bytes)
{
    size_t len = (size_t)(bytes.end - bytes.at);
    json_t *text = json_stringn((const char *)bytes.at, len < TEXT_MAX ? len : TEXT_MAX);
    return text ? text : json_string(""); // it was no UTF-8
}

static struct wire_message member(struct wire_message message, uint32_t number)
{
    struct wire_field field;
    while (wire_message_next(&message, &field)) {
        if (field.number == number) {
            return field.bytes;
        }
    }
    return (struct wire_message){0};
}

static uint64_t number_of(struct wire_message message, uint32_t number)
{
    struct wire_field field;
    while (wire_message_next(&message, &field)) {
        if (field.number == number) {
            return field.value;
        }
    }
    return 0;
}

static void remember(struct plane *plane, struct map *names, struct wire_message entry)
{
    plane->messages =
        mem_grow(plane->messages, plane->count, &plane->capacity, sizeof *plane->messages);
    plane->messages[plane->count++] = member(entry, ENTRY_VALUE);
    map_put(names, number_of(entry, ENTRY_KEY) + 1, plane->count);
}

static struct wire_message recall(const struct plane *plane, const struct map *names,
                                  uint64_t number)
{
    uint64_t known = map_get(names, number + 1);
    return known ? plane->messages[known - 1] : (struct wire_message){0};
}

static const char *argument_name(const struct plane *plane, struct wire_message stat)
{
    struct wire_message name =
        member(recall(plane, &plane->stat_names, number_of(stat, STAT_METADATA)), METADATA_NAME);
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        if ((size_t)(name.end - name.at) == strlen(arguments[i]) &&
            memcmp(name.at, arguments[i], strlen(arguments[i])) == 0) {
            return arguments[i];
        }
    }
    return NULL;
}

static void add_argument(const struct plane *plane, json_t *args, struct wire_message stat)
{
    const char *name = argument_name(plane, stat);
    struct wire_field field;
    while (name && wire_message_next(&stat, &field)) {
        if (field.number == STAT_TEXT) {
            json_object_set_new(args, name, text_of(field.bytes));
        } else if (field.number == STAT_REFERENCE) {
            struct wire_message named = recall(plane, &plane->stat_names, field.value);
            json_object_set_new(args, name, text_of(member(named, METADATA_NAME)));
        } else if (field.number == STAT_UNSIGNED || field.number == STAT_SIGNED) {
            json_object_set_new(args, name, json_integer((json_int_t)field.value));
        }
    }
}

static void add_arguments(const struct plane *plane, json_t *args, struct wire_message message,
                          uint32_t number)
{
    struct wire_field field;
    while (wire_message_next(&message, &field)) {
        if (field.number == number) {
            add_argument(plane, args, field.bytes);
        }
    }
}

static void add_event(struct plane *plane, uint64_t thread, uint64_t line_ns,
                      struct wire_message event)
{
    struct wire_message metadata =
        recall(plane, &plane->event_names, number_of(event, EVENT_METADATA));
    double begin_us = (double)(int64_t)line_ns / NS_PER_US +
                      (double)(int64_t)number_of(event, EVENT_OFFSET_PS) / PS_PER_US;
    double length_us = (double)(int64_t)number_of(event, EVENT_LENGTH_PS) / PS_PER_US;
    json_t *args = json_object();
    add_arguments(plane, args, metadata, METADATA_STAT);
    add_arguments(plane, args, event, EVENT_STAT);
    json_array_append_new(plane->events,
                          json_pack("{s:s, s:I, s:I, s:f, s:f, s:o, s:o}", "ph", "X", "pid",
                                    (json_int_t)plane->number, "tid", (json_int_t)thread, "ts",
                                    begin_us, "dur", length_us, "name",
                                    text_of(member(metadata, METADATA_NAME)), "args", args));
}

static void add_name(struct plane *plane, const char *what, uint64_t thread, struct wire_message of)
{
    json_array_append_new(plane->events,
                          json_pack("{s:s, s:s, s:I, s:I, s:{s:o}}", "ph", "M", "name", what, "pid",
                                    (json_int_t)plane->number, "tid", (json_int_t)thread, "args",
                                    "name", text_of(of)));
}

static void add_line(struct plane *plane, struct wire_message line)
{
    uint64_t thread = number_of(line, LINE_ID);
    uint64_t line_ns = number_of(line, LINE_TIME_NS);
    add_name(plane, "thread_name", thread, member(line, LINE_NAME));
    struct wire_field field;
    while (wire_message_next(&line, &field) && json_array_size(plane->events) < EVENT_MAX) {
        if (field.number == LINE_EVENT) {
            add_event(plane, thread, line_ns, field.bytes);
        }
    }
}

// Names may stand behind the lines that use them.
static void read_names(struct plane *plane, struct wire_message message)
{
    struct wire_field field;
    while (wire_message_next(&message, &field)) {
        if (field.number == PLANE_EVENT_NAME) {
            remember(plane, &plane->event_names, field.bytes);
        } else if (field.number == PLANE_STAT_NAME) {
            remember(plane, &plane->stat_names, field.bytes);
        }
    }
}

static void add_plane(json_t *events, int64_t number, struct wire_message message)
{
    struct plane plane = {.events = events, .number = number};
    struct wire_field field;
    read_names(&plane, message);
    add_name(&plane, "process_name", 0, member(message, PLANE_NAME));
    while (wire_message_next(&message, &field)) {
        if (field.number == PLANE_LINE) {
            add_line(&plane, field.bytes);
        }
    }
    map_clear(&plane.event_names);
    map_clear(&plane.stat_names);
    free(plane.messages);
}

bool xplane_read(json_t **root, const char *bytes, size_t len, struct error *err)
{
    struct wire_message space = wire_message_of(bytes, len);
    struct wire_field field;
    json_t *events = json_array();
    for (int64_t number = 1; wire_message_next(&space, &field); number++) {
        if (field.number == SPACE_PLANE) {
            add_plane(events, number, field.bytes);
        }
    }
    *root = json_pack("{s:o}", "traceEvents", events);
    if (!space.is_damaged) {
        return true;
    }
    json_decref(*root);
    *root = NULL;
    return error_set(err, "it is damaged or was not written to its end");
}
