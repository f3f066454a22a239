// SPDX-License-Identifier: Apache-2.0
#include "profile/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/profile.h"
#include "profile/trace_event.h"
#include "profile/trace_file.h"

#define US_PER_S   1e6
#define DEPTH_MAX  512
#define SUMS_MAX   100000u
#define PLACE_SIZE 1024

// A line of Python, as a trace names it.
struct place {
    char file[PLACE_SIZE]; // empty: not known
    int line;
};

// The same, small enough for one of each event.
struct numbered_place {
    uint32_t file; // index of sums.files + 1; 0: not known
    int line;
};

struct sums {
    struct profile *profile;
    struct profile_operator *list;
    size_t count;
    size_t capacity;
    struct map index; // of name, place and device, to the sum's number + 1
    struct map links; // of kernels to their operator's event + 1
    struct names files;
    struct numbered_place *places; // of each event; only operators have one
};

// "path(12): function", or JAX's "$file.py:12 function".
static bool read_place(struct place *place, const char *text)
{
    const char *end = text[0] == '$' ? strchr(text, ':') : strstr(text, "): ");
    const char *start = text[0] == '$' ? text + 1 : text;
    const char *split = end;
    if (end && text[0] != '$') {
        while (split > start && *split != '(') {
            split--;
        }
    }
    if (!split || split <= start || (size_t)(split - start) >= sizeof place->file) {
        return false;
    }
    place->line = atoi(split + 1);
    memcpy(place->file, start, (size_t)(split - start));
    place->file[split - start] = '\0';
    return place->line > 0 && place->file[0] != '<';
}

static bool is_library(const char *file)
{
    return strstr(file, "site-packages/") || strstr(file, "dist-packages/") ||
           strncmp(file, "torch/", 6) == 0 || strncmp(file, "jax/", 4) == 0;
}

static bool ends_in(const char *path, const char *file)
{
    size_t len = strlen(file);
    size_t path_len = strlen(path);
    return path_len >= len && strcmp(path + path_len - len, file) == 0 &&
           (path_len == len || path[path_len - len - 1] == '/');
}

// Traces name files as they like: the profile's own name for it; NULL when it has none. The program
// itself may have computed too little to be among the files.
static const char *known_path(const struct profile *profile, const char *file)
{
    for (size_t i = 0; i < profile->file_count; i++) {
        if (ends_in(profile->files[i].path, file)) {
            return profile->files[i].path;
        }
    }
    return profile->program && ends_in(profile->program, file) ? profile->program : NULL;
}

// Of several places, from the outermost to the innermost: the innermost that the profile knows as
// the program's, else the innermost that is no library's.
struct choice {
    struct place known;
    struct place other;
};

static void choose(struct choice *choice, const struct profile *profile, const char *name)
{
    struct place found = {.line = 0};
    if (!read_place(&found, name)) {
        return;
    }
    if (known_path(profile, found.file)) {
        choice->known = found;
    } else if (name[0] != '$' && !is_library(found.file)) { // JAX names files without their folders
        choice->other = found;
    }
}

static void take_choice(struct place *place, const struct choice *choice)
{
    *place = choice->known.file[0] ? choice->known : choice->other;
}

static void read_call_stack(struct place *place, const struct profile *profile, const char *stack)
{
    struct choice choice = {0};
    while (stack && *stack) {
        char one[PLACE_SIZE];
        size_t len = strcspn(stack, ";\n");
        snprintf(one, sizeof one, "%.*s", (int)(len < sizeof one ? len : sizeof one - 1), stack);
        choose(&choice, profile, one);
        stack += len + (stack[len] ? 1 : 0);
    }
    take_choice(place, &choice);
}

static void read_source(struct place *place, const json_t *args)
{
    const char *source = json_string_value(json_object_get(args, "source"));
    const char *colon = source ? strrchr(source, ':') : NULL;
    if (colon && (size_t)(colon - source) < sizeof place->file) {
        snprintf(place->file, sizeof place->file, "%.*s", (int)(colon - source), source);
        place->line = atoi(colon + 1);
    }
}

static void add(struct sums *sums, const char *name, bool is_device, const struct place *place,
                double seconds)
{
    uint64_t key = map_key(map_key_of_text(name) + (is_device ? 1 : 0),
                           map_key(map_key_of_text(place->file), (uint64_t)place->line + 1));
    uint64_t known = map_get(&sums->index, key);
    if (known == 0 && sums->count < SUMS_MAX) {
        const char *path = known_path(sums->profile, place->file);
        sums->list = mem_grow(sums->list, sums->count, &sums->capacity, sizeof *sums->list);
        sums->list[sums->count++] = (struct profile_operator){
            .name = mem_copy_text(name),
            .is_device = is_device,
            .file = place->file[0] ? mem_copy_text(path ? path : place->file) : NULL,
            .line = place->line,
        };
        known = sums->count;
        map_put(&sums->index, key, known);
    }
    if (known != 0) {
        sums->list[known - 1].count++;
        sums->list[known - 1].seconds += seconds;
    }
}

static struct numbered_place number_place(struct sums *sums, const struct place *place)
{
    if (!place->file[0]) {
        return (struct numbered_place){0, 0};
    }
    return (struct numbered_place){names_add(&sums->files, place->file, strlen(place->file)) + 1,
                                   place->line};
}

static void find_numbered(struct place *place, const struct sums *sums,
                          const struct numbered_place *number)
{
    const char *file = number->file ? sums->files.texts[number->file - 1] : "";
    snprintf(place->file, sizeof place->file, "%s", file);
    place->line = number->line;
}

// What of each event is open around the one that is looked at.
struct nest {
    size_t events[DEPTH_MAX];
    size_t depth;
};

static void place_of_nest(struct place *place, const struct profile *profile,
                          const struct trace_events *events, const struct nest *nest)
{
    struct choice choice = {0};
    for (size_t i = 0; i < nest->depth; i++) {
        const struct trace_event *outer = &events->list[nest->events[i]];
        if (outer->kind == TRACE_PYTHON) {
            choose(&choice, profile, outer->name);
        }
    }
    take_choice(place, &choice);
}

static void find_place(struct place *place, const struct profile *profile,
                       const struct trace_events *events, size_t index, const struct nest *nest)
{
    const json_t *args = events->list[index].args;
    *place = (struct place){.line = 0};
    read_call_stack(place, profile, json_string_value(json_object_get(args, "Call stack")));
    if (!place->file[0]) {
        read_source(place, args);
    }
    if (!place->file[0]) {
        place_of_nest(place, profile, events, nest);
    }
}

// Of an operator's time, that of the operators in it is theirs.
static double *own_times(const struct trace_events *events, struct sums *sums)
{
    double *own_us = mem_alloc((events->count + 1) * sizeof *own_us);
    struct nest nest = {.depth = 0};
    for (size_t i = 0; i < events->count; i++) {
        const struct trace_event *event = &events->list[i];
        own_us[i] = event->length_us;
        while (nest.depth > 0) {
            const struct trace_event *outer = &events->list[nest.events[nest.depth - 1]];
            if (outer->thread == event->thread &&
                event->begin_us < outer->begin_us + outer->length_us) {
                break;
            }
            nest.depth--;
        }
        for (size_t j = nest.depth; event->kind == TRACE_OPERATOR && j > 0; j--) {
            if (events->list[nest.events[j - 1]].kind == TRACE_OPERATOR) {
                own_us[nest.events[j - 1]] -= event->length_us;
                break;
            }
        }
        if (event->kind == TRACE_OPERATOR) {
            struct place place;
            find_place(&place, sums->profile, events, i, &nest);
            sums->places[i] = number_place(sums, &place);
            map_put(&sums->links, (uint64_t)event->link + 1, i + 1);
        }
        if (nest.depth < DEPTH_MAX && event->kind != TRACE_KERNEL) {
            nest.events[nest.depth++] = i;
        }
    }
    return own_us;
}

static void add_kernel(struct sums *sums, const struct trace_events *events, size_t index)
{
    const struct trace_event *kernel = &events->list[index];
    uint64_t known = kernel->link ? map_get(&sums->links, (uint64_t)kernel->link + 1) : 0;
    const char *module = json_string_value(json_object_get(kernel->args, "hlo_op"));
    const char *name = known ? events->list[known - 1].name : module ? module : kernel->name;
    struct place place = {.line = 0};
    if (known) {
        find_numbered(&place, sums, &sums->places[known - 1]);
    } else {
        read_source(&place, kernel->args);
    }
    add(sums, name, true, &place, kernel->length_us / US_PER_S);
}

static int compare_operators(const void *a, const void *b)
{
    const struct profile_operator *left = a;
    const struct profile_operator *right = b;
    if (left->seconds > right->seconds || left->seconds < right->seconds) {
        return left->seconds > right->seconds ? -1 : 1;
    }
    return strcmp(left->name, right->name);
}

static void take_over(struct sums *sums, struct profile_operators *out)
{
    for (size_t i = 0; i < sums->count; i++) {
        out->list = mem_grow(out->list, out->count, &out->capacity, sizeof *out->list);
        out->list[out->count++] = sums->list[i];
    }
    if (out->count > 0) {
        qsort(out->list, out->count, sizeof *out->list, compare_operators);
    }
    for (; out->count > PROFILE_OPERATORS_MAX; out->count--, out->left_out++) {
        free(out->list[out->count - 1].name);
        free(out->list[out->count - 1].file);
    }
}

static void add_events(struct profile *profile, const struct trace_events *events)
{
    struct sums sums = {.profile = profile};
    sums.places = mem_alloc((events->count + 1) * sizeof *sums.places);
    double *own_us = own_times(events, &sums);
    for (size_t i = 0; i < events->count; i++) {
        const struct trace_event *event = &events->list[i];
        if (event->kind == TRACE_OPERATOR) {
            double seconds = own_us[i] > 0 ? own_us[i] / US_PER_S : 0;
            struct place place;
            find_numbered(&place, &sums, &sums.places[i]);
            add(&sums, event->name, false, &place, seconds);
        } else if (event->kind == TRACE_KERNEL) {
            add_kernel(&sums, events, i);
        }
    }
    take_over(&sums, &profile->operators);
    map_clear(&sums.index);
    map_clear(&sums.links);
    names_clear(&sums.files);
    free(sums.places);
    free(sums.list);
    free(own_us);
}

bool trace_add(struct profile *profile, const char *path, struct error *err)
{
    char found[TRACE_PATH_MAX];
    json_t *root = NULL;
    if (!trace_file_find(found, path, profile->start_time_absolute_s, err) ||
        !trace_file_read(&root, found, err)) {
        return false;
    }
    struct trace_events events = {0};
    trace_events_read(&events, root);
    if (events.count == 0) {
        error_set(err, "%s has no events of operators or kernels", found);
    } else {
        add_events(profile, &events);
    }
    bool has_events = events.count > 0;
    trace_events_clear(&events);
    json_decref(root);
    return has_events;
}

void profile_operators_clear(struct profile_operators *operators)
{
    for (size_t i = 0; i < operators->count; i++) {
        free(operators->list[i].name);
        free(operators->list[i].file);
    }
    free(operators->list);
    *operators = (struct profile_operators){0};
}
