// SPDX-License-Identifier: Apache-2.0
#include "collect/process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

#define CODE_ADDRESS_MAX 100000u
#define ROLE_MAX         100000u

struct process *process_new(int pid, struct image_cache *images, struct code_table *codes)
{
    struct process *process = mem_alloc(sizeof *process);
    process->pid = pid;
    process->pidfd = -1;
    process->codes.table = codes;
    process->space.images = images;
    process->space.pid = pid;
    process->maps_read_s = -1;
    process->finalising_s = INFINITY;
    return process;
}

static void free_command(struct process *process)
{
    for (size_t i = 0; i < process->command_count; i++) {
        free(process->command[i]);
    }
    free(process->command);
    free(process->command_key);
}

void process_close(struct process *process)
{
    ring_close(&process->ring);
    if (process->ring_path) {
        unlink(process->ring_path);
    }
    free(process->ring_path);
    process->ring_path = NULL;
    if (process->pidfd >= 0) {
        close(process->pidfd);
    }
    process->pidfd = -1;
    async_watch_close(&process->async);
    code_set_clear(&process->codes);
    block_table_clear(&process->blocks);
    leak_watch_clear(&process->leaks);
    map_clear(&process->streams);
    map_clear(&process->code_addresses);
    if (!process->is_root) {
        map_clear(&process->roles.roles);
    }
    address_space_clear(&process->space);
}

void process_free(struct process *process)
{
    process_close(process);
    map_clear(&process->roles.roles);
    free_command(process);
    free(process->executable);
    free(process->directory);
    thread_table_clear(&process->threads);
    free(process);
}

bool process_is_alike(const struct process *one, const struct process *other)
{
    return one->command_key && other->command_key &&
           strcmp(one->command_key, other->command_key) == 0 &&
           one->version_hex == other->version_hex &&
           one->roles.eval_start == other->roles.eval_start;
}

struct process *process_find(struct process **list, size_t count, int pid)
{
    for (size_t i = count; i > 0; i--) {
        if (list[i - 1]->pid == pid) {
            return list[i - 1];
        }
    }
    return NULL;
}

const struct code *process_code(struct process *process, uint32_t code_id)
{
    return code_set_get(&process->codes, code_id);
}

uint32_t process_code_at(const struct process *process, uint64_t address)
{
    return (uint32_t)map_get(&process->code_addresses, address);
}

int process_python_minor(const struct process *process)
{
    return (int)(process->version_hex >> 16 & 0xff);
}

// Arguments, each ended by a NUL, into a list and one text.
static void set_command(struct process *process, const char *bytes, size_t len)
{
    struct text key = {0};
    size_t capacity = 0;
    free_command(process);
    process->command = NULL;
    process->command_count = 0;
    text_add(&key, "");
    for (size_t at = 0; at < len;) {
        size_t word = strnlen(bytes + at, len - at);
        process->command =
            mem_grow(process->command, process->command_count, &capacity, sizeof(char *));
        process->command[process->command_count++] = mem_copy_bytes(bytes + at, word);
        text_add_bytes(&key, bytes + at, word);
        text_add_char(&key, '\n');
        at += word + 1;
    }
    process->command_key = key.data;
}

static void inherit(struct process *process, const struct process *origin)
{
    struct text command = {0};
    for (size_t i = 0; i < origin->command_count; i++) {
        text_add_bytes(&command, origin->command[i], strlen(origin->command[i]) + 1);
    }
    set_command(process, command.data ? command.data : "", command.len);
    text_clear(&command);
    process->executable = mem_copy_text(origin->executable ? origin->executable : "");
    process->directory = mem_copy_text(origin->directory ? origin->directory : "");
    process->version_hex = origin->version_hex;
    process->interpreter_flags = origin->interpreter_flags;
    process->remote = origin->remote;
    address_space_copy(&process->space, &origin->space, process->pid);
    process->roles = origin->roles;
    process->roles.roles = (struct map){0};
    for (size_t i = 0; i < origin->roles.roles.capacity; i++) {
        if (origin->roles.roles.values[i] != 0) {
            map_put(&process->roles.roles, origin->roles.roles.keys[i],
                    origin->roles.roles.values[i]);
        }
    }
}

bool process_take_introduction(struct process *process, const void *record, size_t len,
                               const struct process *origin)
{
    const struct record_process *intro = record;
    if (len < sizeof *intro || process->is_introduced) {
        return false;
    }
    size_t texts = (size_t)intro->executable_len + intro->directory_len + intro->command_len;
    if (texts > len - sizeof *intro) {
        return false;
    }
    process->is_introduced = true;
    process->parent_pid = intro->parent_pid;
    process->is_forked = intro->is_forked;
    process->foreign_s = (double)intro->cpu_ns / 1e9;
    if (intro->is_forked && origin) {
        inherit(process, origin);
        return true;
    }
    const char *text = (const char *)(intro + 1);
    process->executable = mem_copy_bytes(text, intro->executable_len);
    process->directory = mem_copy_bytes(text + intro->executable_len, intro->directory_len);
    set_command(process, text + intro->executable_len + intro->directory_len, intro->command_len);
    return true;
}

bool process_take_interpreter(struct process *process, const void *record, size_t len)
{
    const struct record_interpreter *found = record;
    if (len < sizeof *found ||
        found->address_count > (len - sizeof *found) / sizeof(struct record_address)) {
        return false;
    }
    process->version_hex = found->version_hex;
    process->interpreter_flags = found->flags;
    process->remote = (struct remote_interpreter){
        .is_known = found->flags & INTERPRETER_HAS_WALK && remote_stack_accepts(&found->layout),
        .layout = found->layout,
        .code_type = found->code_type,
    };
    const struct record_address *addresses = (const void *)(found + 1);
    for (size_t i = 0; i < found->address_count; i++) {
        uint64_t address = addresses[i].address;
        switch (addresses[i].role) {
        case ADDRESS_EVAL_START:
            process->roles.eval_start = address;
            break;
        case ADDRESS_EVAL_END:
            process->roles.eval_end = address;
            break;
        case ADDRESS_RUNTIME_START:
            process->roles.runtime = address;
            process->remote.runtime_start = address;
            break;
        case ADDRESS_RUNTIME_END:
            process->remote.runtime_end = address;
            break;
        default:
            if (addresses[i].role < ADDRESS_ROLE_COUNT && process->roles.roles.count < ROLE_MAX) {
                map_put(&process->roles.roles, address, (uint64_t)addresses[i].role + 1);
            }
        }
    }
    return true;
}

bool process_take_module(struct process *process, const void *record, size_t len)
{
    const struct record_module *module = record;
    if (len < sizeof *module || module->path_len > len - sizeof *module ||
        module->end <= module->start) {
        return false;
    }
    char *path = mem_copy_bytes((const char *)(module + 1), module->path_len);
    const char *file = path;
    if (*path == '\0') {
        file = process->executable ? process->executable : "";
    } else if (strncmp(path, "linux-vdso", 10) == 0) {
        file = IMAGE_VDSO_PATH;
    }
    address_space_add(&process->space, module->start, module->end, module->bias, file);
    free(path);
    return true;
}

bool process_take_code(struct process *process, const void *record, size_t len,
                       bool (*is_ours)(const void *context, const char *path), const void *context)
{
    const struct record_code *sent = record;
    struct code_view view = {process_python_minor(process), process->directory, is_ours, context};
    if (!code_set_take(&process->codes, sent, len, &view)) {
        return false;
    }
    if (sent->address != 0 && sent->code_id != 0) {
        if (process->code_addresses.count >= CODE_ADDRESS_MAX) {
            map_clear(&process->code_addresses); // whatever is asked for again is read again
        }
        map_put(&process->code_addresses, sent->address, sent->code_id);
    }
    return true;
}
