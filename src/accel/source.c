// SPDX-License-Identifier: Apache-2.0
#include "accel/source.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/map.h"

const struct source *const source_list[] = {&source_nvml, &source_amd, &source_drm, &source_neuron};
const size_t source_count = sizeof source_list / sizeof *source_list;

// A reading is lost when there is no room: there will be others. What is said once is waited for,
// until there is room or nobody listens any more.
static bool may_be_lost(const struct message *message)
{
    return message->type != MESSAGE_DEVICE && message->type != MESSAGE_NOTE;
}

static void send(struct source_out *out, struct message *message)
{
    message->source = out->source;
    message->begin_s = out->begin_s;
    message->end_s = out->end_s;
    message->lost = out->lost;
    while (write(out->fd, message, sizeof *message) < 0) {
        if (errno == EAGAIN && may_be_lost(message)) {
            out->lost++;
            return;
        }
        if (errno == EAGAIN) {
            poll(&(struct pollfd){.fd = out->fd, .events = POLLOUT}, 1, -1);
        } else if (errno != EINTR) {
            out->is_broken = true;
            return;
        }
    }
}

uint32_t source_tell_device(struct source_out *out, const struct source_device *device)
{
    struct message message = {
        .type = MESSAGE_DEVICE, .device = (*out->device_count)++, .total_mb = device->total_mb};
    memcpy(message.vendor, device->vendor, sizeof message.vendor);
    memcpy(message.name, device->name, sizeof message.name);
    memcpy(message.id, device->id, sizeof message.id);
    send(out, &message);
    return message.device;
}

void source_tell_reading(struct source_out *out, uint32_t device,
                         const struct source_reading *reading)
{
    send(out,
         &(struct message){
             .type = MESSAGE_READING,
             .device = device,
             .scope = reading->busy >= 0 ? reading->scope : MESSAGE_SCOPE_NONE,
             .memory_scope = reading->memory_mb >= 0 ? reading->memory_scope : MESSAGE_SCOPE_NONE,
             .others = reading->others,
             .busy = fmax(0, fmin(1, reading->busy)),
             .memory_mb = fmax(0, reading->memory_mb),
         });
}

void source_tell_failure(struct source_out *out, uint32_t device)
{
    send(out, &(struct message){.type = MESSAGE_FAILURE, .device = device});
}

void source_tell_alive(struct source_out *out)
{
    send(out, &(struct message){.type = MESSAGE_ALIVE});
}

void source_process_forget(struct source_process *process)
{
    *process = (struct source_process){.pid = process->pid, .use = process->use};
}

void source_process_add(struct source_process *process, const struct source_reading *reading)
{
    if (reading->busy >= 0) {
        process->busy_sum += fmin(1, reading->busy);
        process->busy_count++;
        process->scope = reading->scope;
    }
    if (reading->memory_mb >= 0) {
        process->memory_mb += reading->memory_mb;
        process->has_memory = true;
        process->memory_scope = reading->memory_scope;
    }
}

void source_tell_process(struct source_out *out, const struct source_process *process)
{
    if (process->busy_count == 0 && !process->has_memory) {
        return;
    }
    double busy = process->busy_count > 0 ? process->busy_sum / process->busy_count : 0;
    send(out, &(struct message){
                  .type = MESSAGE_PROCESS,
                  .pid = process->pid,
                  .scope = process->busy_count > 0 ? process->scope : MESSAGE_SCOPE_NONE,
                  .memory_scope = process->has_memory ? process->memory_scope : MESSAGE_SCOPE_NONE,
                  .busy = busy,
                  .memory_mb = process->memory_mb,
              });
}

void source_note(struct source_out *out, const char *format, ...)
{
    struct message message = {.type = MESSAGE_NOTE};
    va_list args;
    va_start(args, format);
    vsnprintf(message.text, sizeof message.text, format, args);
    va_end(args);
    uint64_t key = map_key_of_text(message.text);
    for (size_t i = 0; i < out->told_count; i++) {
        if (out->told[i] == key) {
            return;
        }
    }
    if (out->told_count < sizeof out->told / sizeof *out->told) {
        out->told[out->told_count++] = key;
        send(out, &message);
    }
}
