// SPDX-License-Identifier: Apache-2.0
#include "profile/load_stack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "profile/field.h"

#define STACK_MAX 500000
#define DEPTH_MAX 4096
#define FRAME_MAX 1000000

struct stack_loader {
    struct profile *profile;
    struct names frames; // a text a frame, with the frame's index
    struct text key;
};

static const char *text_or_empty(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static struct profile_frame new_frame(const json_t *object)
{
    char *name = field_text(object, "display_name");
    char *file = field_text(object, "filename_or_module");
    int line = field_integer(object, "line");
    return (struct profile_frame){
        .is_native = strcmp(text_or_empty(object, "kind"), "native") == 0,
        .name = name ? name : mem_copy_text(""),
        .file = file ? file : mem_copy_text(""),
        .line = line > 0 ? line : 0,
        .ip = field_count(object, "ip"),
        .offset = field_count(object, "offset"),
    };
}

static uint32_t frame_index(struct stack_loader *loader, const json_t *object)
{
    struct profile *profile = loader->profile;
    loader->key.len = 0;
    text_format(&loader->key, "%d %s %s\n%s", field_integer(object, "line"),
                text_or_empty(object, "kind"), text_or_empty(object, "display_name"),
                text_or_empty(object, "filename_or_module"));
    uint32_t index = names_add(&loader->frames, loader->key.data, loader->key.len);
    if (index == profile->frame_count) {
        profile->frames = mem_grow(profile->frames, profile->frame_count, &profile->frame_capacity,
                                   sizeof *profile->frames);
        profile->frames[profile->frame_count++] = new_frame(object);
    }
    return index;
}

static uint32_t *load_frames(struct stack_loader *loader, const json_t *list, size_t *count)
{
    size_t listed = json_array_size(list);
    listed = listed < DEPTH_MAX ? listed : DEPTH_MAX;
    uint32_t *frames = mem_alloc((listed + 1) * sizeof *frames);
    *count = 0;
    for (size_t i = 0; i < listed && loader->profile->frame_count < FRAME_MAX; i++) {
        frames[(*count)++] = frame_index(loader, json_array_get(list, i));
    }
    return frames;
}

static double positive(const json_t *list, size_t index)
{
    double value = json_number_value(json_array_get(list, index));
    return isfinite(value) && value > 0 ? value : 0;
}

static void load_combined(struct stack_loader *loader, const json_t *root)
{
    struct profile *profile = loader->profile;
    const json_t *list = json_object_get(root, "combined_stacks");
    const json_t *times = json_object_get(root, "combined_stacks_s");
    for (size_t i = 0; i < json_array_size(list) && i < STACK_MAX; i++) {
        const json_t *pair = json_array_get(list, i);
        const json_t *kinds = json_array_get(times, i);
        struct profile_stack stack = {
            .hits = (uint64_t)fmin(9e15, positive(pair, 1)),
            .python_s = positive(kinds, 0),
            .native_s = positive(kinds, 1),
            .system_s = positive(kinds, 2),
        };
        stack.frames = load_frames(loader, json_array_get(pair, 0), &stack.frame_count);
        profile->combined = mem_grow(profile->combined, profile->combined_count,
                                     &profile->combined_capacity, sizeof *profile->combined);
        profile->combined[profile->combined_count++] = stack;
    }
}

static void load_memory_stacks(struct stack_loader *loader, const json_t *root)
{
    struct profile *profile = loader->profile;
    const json_t *list = json_object_get(root, "memory_stacks");
    for (size_t i = 0; i < json_array_size(list) && i < STACK_MAX; i++) {
        const json_t *pair = json_array_get(list, i);
        struct profile_memory_stack stack = {.allocated_mb = positive(pair, 1)};
        stack.frames = load_frames(loader, json_array_get(pair, 0), &stack.frame_count);
        profile->memory_stacks =
            mem_grow(profile->memory_stacks, profile->memory_stack_count,
                     &profile->memory_stack_capacity, sizeof *profile->memory_stacks);
        profile->memory_stacks[profile->memory_stack_count++] = stack;
    }
}

void load_stacks(const json_t *root, struct profile *profile)
{
    struct stack_loader loader = {.profile = profile};
    load_combined(&loader, root);
    load_memory_stacks(&loader, root);
    profile->timeline_start_s = field_real(root, "combined_stacks_start_s");
    names_clear(&loader.frames);
    text_clear(&loader.key);
}
