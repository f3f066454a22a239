// SPDX-License-Identifier: Apache-2.0
#include "profile/trace_event.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"

#define EVENT_MAX 4000000u

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

// Numbers of processes are numbers or texts, as the writer likes.
static uint64_t id_of(const json_t *object, const char *key)
{
    const json_t *id = json_object_get(object, key);
    const char *text = json_string_value(id);
    return text ? map_key_of_text(text) : (uint64_t)(int64_t)json_number_value(id);
}

static uint64_t thread_of(const json_t *event)
{
    return map_key(id_of(event, "pid") + 1, id_of(event, "tid") + 1);
}

// What names of processes and threads tell of JAX's and TensorFlow's traces.
struct origin {
    struct map devices;  // processes that are one
    struct map streams;  // those of them whose kernels are told stream by stream
    struct map overlays; // threads that tell once more what others do; 2: unless there are streams
};

static uint64_t overlay_of(const char *thread)
{
    static const char *const overlays[] = {"Steps", "XLA Modules", "Framework Ops",
                                           "Framework Name Scope", "Source code"};
    for (size_t i = 0; i < sizeof overlays / sizeof *overlays; i++) {
        if (strcmp(thread, overlays[i]) == 0) {
            return 1;
        }
    }
    return strcmp(thread, "XLA Ops") == 0 ? 2 : 0;
}

static void read_name(struct origin *origin, const json_t *event)
{
    uint64_t process = id_of(event, "pid") + 1;
    const char *name = text_of(json_object_get(event, "args"), "name");
    if (strcmp(text_of(event, "name"), "process_name") == 0) {
        if (strstr(name, "/device:") && !strstr(name, "/device:CPU")) {
            map_put(&origin->devices, process, 1);
        }
    } else if (strcmp(text_of(event, "name"), "thread_name") == 0) {
        if (strncmp(name, "Stream #", 8) == 0) {
            map_put(&origin->streams, process, 1);
        }
        if (overlay_of(name)) {
            map_put(&origin->overlays, thread_of(event), overlay_of(name));
        }
    }
}

static void read_names(struct origin *origin, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *event = json_array_get(list, i);
        if (strcmp(text_of(event, "ph"), "M") == 0) {
            read_name(origin, event);
        }
    }
}

static void origin_clear(struct origin *origin)
{
    map_clear(&origin->devices);
    map_clear(&origin->streams);
    map_clear(&origin->overlays);
}

static enum trace_kind kind_on_device(const json_t *event, const struct origin *origin)
{
    uint64_t overlay = map_get(&origin->overlays, thread_of(event));
    bool is_told_elsewhere =
        overlay == 1 || (overlay == 2 && map_get(&origin->streams, id_of(event, "pid") + 1));
    return is_told_elsewhere ? TRACE_OTHER : TRACE_KERNEL;
}

// On the host JAX marks the end of an operator by an event without length.
static enum trace_kind kind_on_host(const char *name)
{
    if (name[0] == '$') {
        return TRACE_PYTHON;
    }
    return strncmp(name, "end: ", 5) == 0 ? TRACE_OTHER : TRACE_OPERATOR;
}

static enum trace_kind kind_of(const json_t *event, const struct origin *origin)
{
    static const struct {
        const char *category;
        enum trace_kind kind;
    } kinds[] = {
        {"cpu_op", TRACE_OPERATOR},        {"Operator", TRACE_OPERATOR},
        {"kernel", TRACE_KERNEL},          {"Kernel", TRACE_KERNEL},
        {"gpu_memcpy", TRACE_KERNEL},      {"gpu_memset", TRACE_KERNEL},
        {"python_function", TRACE_PYTHON},
    };

    const char *category = text_of(event, "cat");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(category, kinds[i].category) == 0) {
            return kinds[i].kind;
        }
    }
    if (category[0] != '\0') { // JAX's and TensorFlow's have none
        return TRACE_OTHER;
    }
    return map_get(&origin->devices, id_of(event, "pid") + 1)
               ? kind_on_device(event, origin)
               : kind_on_host(text_of(event, "name"));
}

static int64_t link_of(const json_t *args)
{
    static const char *const keys[] = {"External id", "external id", "correlation"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *value = json_object_get(args, keys[i]);
        if (value) {
            const char *text = json_string_value(value);
            return text ? strtoll(text, NULL, 10) : (int64_t)json_number_value(value);
        }
    }
    return 0;
}

static int compare_events(const void *a, const void *b)
{
    const struct trace_event *left = a;
    const struct trace_event *right = b;
    if (left->thread != right->thread) {
        return left->thread < right->thread ? -1 : 1;
    }
    if (left->begin_us < right->begin_us || left->begin_us > right->begin_us) {
        return left->begin_us < right->begin_us ? -1 : 1;
    }
    return left->length_us > right->length_us ? -1 : left->length_us < right->length_us;
}

void trace_events_read(struct trace_events *events, const json_t *root)
{
    const json_t *list = json_is_array(root) ? root : json_object_get(root, "traceEvents");
    struct origin origin = {0};
    read_names(&origin, list);
    for (size_t i = 0; i < json_array_size(list) && events->count < EVENT_MAX; i++) {
        const json_t *object = json_array_get(list, i);
        struct trace_event event = {
            .kind = kind_of(object, &origin),
            .name = text_of(object, "name"),
            .args = json_object_get(object, "args"),
            .thread = thread_of(object),
            .begin_us = json_number_value(json_object_get(object, "ts")),
            .length_us = json_number_value(json_object_get(object, "dur")),
        };
        if (strcmp(text_of(object, "ph"), "X") != 0 || event.kind == TRACE_OTHER ||
            !(event.length_us >= 0) || !isfinite(event.begin_us)) {
            continue;
        }
        event.link = link_of(event.args);
        events->list =
            mem_grow(events->list, events->count, &events->capacity, sizeof *events->list);
        events->list[events->count++] = event;
    }
    origin_clear(&origin);
    if (events->count > 0) {
        qsort(events->list, events->count, sizeof *events->list, compare_events);
    }
}

void trace_events_clear(struct trace_events *events)
{
    free(events->list);
    *events = (struct trace_events){0};
}
