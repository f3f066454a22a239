// SPDX-License-Identifier: Apache-2.0
#include "agent/process.h"

#include <link.h>
#include <string.h>

#include "agent/allocation.h"
#include "agent/clock.h"
#include "agent/cycles.h"
#include "agent/footprint.h"
#include "agent/session.h"
#include "agent/thread.h"

#define PATH_BYTES    4096
#define COMMAND_BYTES 8192

static size_t read_file(const char *path, char *buf, size_t size)
{
    int fd = raw_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) {
        return 0;
    }
    long len = raw_read(fd, buf, size);
    raw_close(fd);
    return len > 0 ? (size_t)len : 0;
}

static size_t read_link(const char *path, char *buf, size_t size)
{
    long len = raw_readlink(path, buf, size);
    return len > 0 ? (size_t)len : 0;
}

// The texts are read straight into the record, as long as a path can be: there may be little stack
// here. What they leave of it stays empty.
void process_introduce(struct ring *ring)
{
    size_t room = session.is_forked ? 0 : 2 * (size_t)PATH_BYTES + COMMAND_BYTES;
    struct record_process *record = ring_reserve(ring, RECORD_PROCESS, sizeof *record + room);
    if (!record) {
        return;
    }
    record->time_ns = clock_wall_ns();
    record->cpu_ns = session.foreign_cpu_ns;
    record->pid = session.pid;
    record->parent_pid = raw_getppid();
    record->is_forked = session.is_forked;
    record->origin_pid = session.origin_pid;
    record->executable_len = 0;
    record->directory_len = 0;
    record->command_len = 0;
    char *text = (char *)(record + 1);
    if (!session.is_forked) {
        record->executable_len = (uint16_t)read_link("/proc/self/exe", text, PATH_BYTES);
        text += record->executable_len;
        record->directory_len = (uint16_t)read_link("/proc/self/cwd", text, PATH_BYTES);
        text += record->directory_len;
        record->command_len = (uint32_t)read_file("/proc/self/cmdline", text, COMMAND_BYTES);
    }
    ring_commit(record);
}

static int send_module(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size;
    struct ring *ring = argument;
    uint64_t start = UINT64_MAX;
    uint64_t end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD) {
            uint64_t from = info->dlpi_addr + segment->p_vaddr;
            start = from < start ? from : start;
            end = from + segment->p_memsz > end ? from + segment->p_memsz : end;
        }
    }
    const char *path = info->dlpi_name ? info->dlpi_name : "";
    size_t path_len = strlen(path);
    struct record_module *record =
        end == 0 ? NULL : ring_reserve(ring, RECORD_MODULE, sizeof *record + path_len);
    if (record) {
        record->start = start;
        record->end = end;
        record->bias = info->dlpi_addr;
        record->path_len = (uint32_t)path_len;
        record->reserved = 0;
        memcpy(record + 1, path, path_len);
        ring_commit(record);
    }
    return 0;
}

void process_send_modules(void)
{
    struct ring *ring = session_ring();
    if (ring) {
        dl_iterate_phdr(send_module, ring);
    }
}

static void send_rest(void)
{
    process_send_modules();
    thread_report();
    allocation_flush();
    footprint_report();
}

static void send_end(bool is_exec, int status)
{
    struct ring *ring = session_ring();
    struct record_process_end *record =
        ring ? ring_reserve(ring, RECORD_PROCESS_END, sizeof *record) : NULL;
    if (record) {
        struct rusage usage = {0};
        raw_getrusage(RUSAGE_SELF, &usage);
        record->cpu_ns = clock_process_cpu_ns();
        record->time_ns = clock_wall_ns(); // after what it is to bound
        record->user_us = clock_to_us(usage.ru_utime) - session.foreign_user_us;
        record->system_us = clock_to_us(usage.ru_stime) - session.foreign_system_us;
        record->ready_ns = 0;
        record->peak_rss_kb = (uint64_t)usage.ru_maxrss;
        record->is_exec = is_exec;
        record->status = (uint32_t)status & 0xff;
        ring_commit(record);
    }
    CYCLES_WRITE();
}

static bool is_profiled(void)
{
    return atomic_load(&session.is_active) && raw_getpid() == session.pid;
}

void process_end(int status)
{
    if (is_profiled()) {
        send_rest();
        send_end(false, status);
    }
}

// A child that was forked only to start another program leaves nothing.
bool process_begin_exec(void)
{
    if (!is_profiled()) {
        return true;
    }
    bool was_busy = thread_self.is_busy;
    bool has_ring = session_has_ring();
    if (has_ring) {
        send_rest();
    }
    thread_self.is_busy = true;
    if (has_ring || session_has_ring()) { // a sample may have made it
        send_end(true, 0);
    }
    return was_busy;
}

void process_exec_failed(bool was_busy)
{
    if (!was_busy && is_profiled()) {
        thread_leave(&thread_self);
    }
}
