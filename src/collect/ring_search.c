// SPDX-License-Identifier: Apache-2.0
#include "collect/ring_search.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "collect/run.h"

#define PROCESS_LIMIT 16384u // at a time

// What a process was before exec writes no more: its ring can go once it is read.
static void mark_replaced(struct collector *collector, struct process *process)
{
    for (size_t i = collector->process_count; i > 0; i--) {
        struct process *other = collector->processes[i - 1];
        if (other->pid == process->pid && !other->is_gone) {
            bool is_older = other->program_number < process->program_number;
            *(is_older ? &other->is_replaced : &process->is_replaced) = true;
        }
    }
}

static void add_process(struct collector *collector, int pid, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", collector->run_dir, name);
    struct ring ring = {0};
    enum ring_open_result result = ring_open(&ring, path);
    collector->has_unready_ring |= result == RING_NOT_READY;
    if (result != RING_OPENED) {
        return;
    }
    struct process *process = process_new(pid, collector->images, collector->codes);
    process->is_root = pid == collector->options.root_pid;
    process->ring = ring;
    process->ring_path = mem_copy_text(path);
    process->program_number = (unsigned)strtoul(strchr(name, '.') + 1, NULL, 10);
    process->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    mark_replaced(collector, process);
    collector->processes = mem_grow(collector->processes, collector->process_count,
                                    &collector->process_capacity, sizeof(struct process *));
    collector->processes[collector->process_count++] = process;
}

static bool is_known(const struct collector *collector, const char *name)
{
    for (size_t i = collector->process_count; i > 0; i--) {
        const char *path = collector->processes[i - 1]->ring_path;
        const char *slash = path ? strrchr(path, '/') : NULL;
        if (slash && strcmp(slash + 1, name) == 0) {
            return true;
        }
    }
    return false;
}

static int compare_names(const void *a, const void *b)
{
    const struct process *left = *(struct process *const *)a;
    const struct process *right = *(struct process *const *)b;
    if (left->pid != right->pid) {
        return left->pid < right->pid ? -1 : 1;
    }
    return left->program_number < right->program_number
               ? -1
               : left->program_number > right->program_number;
}

void ring_search(struct collector *collector)
{
    bool has_news = folder_watch_has_news(&collector->watch) || collector->has_unready_ring;
    DIR *directory = has_news ? opendir(collector->run_dir) : NULL;
    if (!directory) {
        return;
    }
    collector->has_unready_ring = false;
    size_t known_count = collector->process_count;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (pid <= 0 || pid > INT_MAX || *end != '.' || is_known(collector, entry->d_name)) {
            continue;
        }
        if (collector->process_count - collector->gone_count < PROCESS_LIMIT) {
            add_process(collector, (int)pid, entry->d_name);
        } else {
            collector->has_unready_ring = true;
        }
    }
    closedir(directory);
    if (collector->process_count > known_count) {
        qsort(collector->processes + known_count, collector->process_count - known_count,
              sizeof(struct process *), compare_names);
    }
}
