// SPDX-License-Identifier: Apache-2.0
#include "profile/gpu_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/field.h"
#include "profile/member.h"

#define SECOND_DECIMALS  9
#define PERCENT_DECIMALS 6
#define MB_DECIMALS      6
#define NS_PER_S         1e9
#define DEVICES_MAX      1024

static void write_points(struct writer *writer, const struct profile_gpu_device *device)
{
    writer_key(writer, "samples");
    writer_begin_list(writer);
    for (size_t i = 0; i < device->point_count; i++) {
        const struct profile_gpu_point *point = &device->points[i];
        writer_begin_list(writer);
        writer_integer(writer, llround(point->t_s * NS_PER_S));
        writer_real(writer, point->busy_percent, PERCENT_DECIMALS);
        writer_real(writer, point->memory_mb, MB_DECIMALS);
        writer_end_list(writer);
    }
    writer_end_list(writer);
}

// Not known is null.
static void write_others(struct writer *writer, const struct profile_gpu_device *device)
{
    writer_key(writer, "other_processes");
    if (device->knows_others) {
        writer_bool(writer, device->has_others);
    } else {
        writer_null(writer);
    }
}

// As it came out, not as it was meant: drivers may answer slowly.
static double period_s(const struct profile_gpu_device *device)
{
    return device->reading_count > 0 ? device->seen_s / (double)device->reading_count : 0;
}

static void write_device(struct writer *writer, const struct profile_gpu_device *device)
{
    struct profile_gpu all = {.seen_s = device->seen_s,
                              .busy_s = device->busy_s,
                              .memory_mb_s = device->memory_mb_s,
                              .peak_mb = device->peak_mb};
    writer_begin_object(writer);
    member_real(writer, "avg_memory_mb", profile_gpu_average_mb(&all), MB_DECIMALS);
    member_real(writer, "busy_percent", profile_gpu_percent(&all), PERCENT_DECIMALS);
    member_unsigned(writer, "failures", device->failure_count);
    member_text_or_empty(writer, "id", device->id);
    member_text_or_empty(writer, "memory_scope", device->memory_scope);
    member_text_or_empty(writer, "method", device->method);
    member_text_or_empty(writer, "name", device->name);
    write_others(writer, device);
    member_real(writer, "peak_memory_mb", device->peak_mb, MB_DECIMALS);
    member_real(writer, "period_s", period_s(device), SECOND_DECIMALS);
    member_unsigned(writer, "readings", device->reading_count);
    write_points(writer, device);
    member_text_or_empty(writer, "scope", device->scope);
    member_real(writer, "seen_s", device->seen_s, SECOND_DECIMALS);
    member_real(writer, "total_memory_mb", device->total_mb, MB_DECIMALS);
    member_text_or_empty(writer, "vendor", device->vendor);
    writer_end_object(writer);
}

// The original knows two names and no vendors.
static const char *device_name(const struct profile_gpus *gpus)
{
    if (!gpus->is_used) {
        return "";
    }
    return gpus->is_neuron ? "Neuron" : "GPU";
}

void gpu_list_write(struct writer *writer, const struct profile_gpus *gpus)
{
    writer_key(writer, "gpu");
    writer_bool(writer, gpus->is_used);
    member_text_or_empty(writer, "gpu_device", device_name(gpus));
    writer_key(writer, "gpu_devices");
    writer_begin_list(writer);
    for (size_t i = 0; i < gpus->count; i++) {
        write_device(writer, &gpus->devices[i]);
    }
    writer_end_list(writer);
}

static void load_points(const json_t *list, struct profile_gpu_device *device)
{
    for (size_t i = 0; i < json_array_size(list) && i < PROFILE_GPU_POINTS_MAX; i++) {
        const json_t *triple = json_array_get(list, i);
        double time_ns = json_number_value(json_array_get(triple, 0));
        double percent = json_number_value(json_array_get(triple, 1));
        double memory_mb = json_number_value(json_array_get(triple, 2));
        device->points = mem_grow(device->points, device->point_count, &device->point_capacity,
                                  sizeof *device->points);
        device->points[device->point_count++] =
            (struct profile_gpu_point){.t_s = fmax(0, time_ns / NS_PER_S),
                                       .busy_percent = fmax(0, fmin(100, percent)),
                                       .memory_mb = fmax(0, memory_mb)};
    }
}

static const char *scope_of(const json_t *object, const char *key)
{
    static const char *const known[] = {"process", "device"};
    const char *text = json_string_value(json_object_get(object, key));
    for (size_t i = 0; text && i < sizeof known / sizeof *known; i++) {
        if (strcmp(text, known[i]) == 0) {
            return known[i];
        }
    }
    return "none";
}

static void load_device(const json_t *object, struct profile_gpus *gpus)
{
    char *vendor = field_text(object, "vendor");
    char *name = field_text(object, "name");
    char *id = field_text(object, "id");
    struct profile_gpu_device *device =
        profile_gpus_add(gpus, vendor ? vendor : "", name ? name : "", id ? id : "");
    device->method = field_text(object, "method");
    device->knows_others = json_is_boolean(json_object_get(object, "other_processes"));
    device->has_others = field_bool(object, "other_processes");
    device->scope = scope_of(object, "scope");
    device->memory_scope = scope_of(object, "memory_scope");
    device->total_mb = field_real(object, "total_memory_mb");
    device->seen_s = field_real(object, "seen_s");
    device->busy_s = fmin(100, field_real(object, "busy_percent")) / 100 * device->seen_s;
    device->memory_mb_s = field_real(object, "avg_memory_mb") * device->seen_s;
    device->peak_mb = field_real(object, "peak_memory_mb");
    device->reading_count = field_count(object, "readings");
    device->failure_count = field_count(object, "failures");
    load_points(json_object_get(object, "samples"), device);
    gpus->is_device_wide |= strcmp(device->scope, "device") == 0;
    free(vendor);
    free(name);
    free(id);
}

void gpu_list_load(const json_t *root, struct profile_gpus *gpus)
{
    char *device = field_text(root, "gpu_device");
    const json_t *list = json_object_get(root, "gpu_devices");
    gpus->is_used = field_bool(root, "gpu");
    gpus->is_neuron = device && strcmp(device, "Neuron") == 0;
    for (size_t i = 0; i < json_array_size(list) && i < DEVICES_MAX; i++) {
        load_device(json_array_get(list, i), gpus);
    }
    free(device);
}

// A profile of the original's does not say over how long: it is taken as one second.
void gpu_list_load_record(const json_t *object, struct profile_gpu *gpu)
{
    double percent = fmin(100, field_real(object, "n_gpu_percent"));
    bool has_seconds = json_object_get(object, "gpu_seen_s") != NULL;
    double peak_mb = field_real(object, "n_gpu_peak_memory_mb");
    gpu->seen_s = has_seconds ? field_real(object, "gpu_seen_s") : percent + peak_mb > 0 ? 1 : 0;
    gpu->busy_s = percent / 100 * gpu->seen_s;
    gpu->memory_mb_s = field_real(object, "n_gpu_avg_memory_mb") * gpu->seen_s;
    gpu->peak_mb = peak_mb;
}
