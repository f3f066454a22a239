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

#define COMMAND_MAX 4096

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

void process_introduce(struct ring *ring)
{
    char executable[SESSION_PATH_MAX];
    char directory[SESSION_PATH_MAX];
    char command[COMMAND_MAX];
    struct record_process fixed = {
        .time_ns = clock_wall_ns(),
        .cpu_ns = session.foreign_cpu_ns,
        .pid = session.pid,
        .parent_pid = raw_getppid(),
        .is_forked = session.is_forked,
    };
    if (!session.is_forked) {
        fixed.executable_len = (uint16_t)read_link("/proc/self/exe", executable, sizeof executable);
        fixed.directory_len = (uint16_t)read_link("/proc/self/cwd", directory, sizeof directory);
        fixed.command_len = (uint32_t)read_file("/proc/self/cmdline", command, sizeof command);
    }
    size_t len = sizeof fixed + fixed.executable_len + fixed.directory_len + fixed.command_len;
    struct record_process *record = ring_reserve(ring, RECORD_PROCESS, len);
    if (!record) {
        return;
    }
    memcpy((char *)record + sizeof record->header, (char *)&fixed + sizeof fixed.header,
           sizeof fixed - sizeof fixed.header);
    char *text = (char *)(record + 1);
    memcpy(text, executable, fixed.executable_len);
    memcpy(text + fixed.executable_len, directory, fixed.directory_len);
    memcpy(text + fixed.executable_len + fixed.directory_len, command, fixed.command_len);
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

static uint64_t process_cpu_ns(void)
{
    struct timespec time;
    raw_clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return clock_to_ns(time);
}

void process_end(bool is_exec)
{
    if (!atomic_load(&session.is_active) || raw_getpid() != session.pid) {
        return;
    }
    // A child that was forked only to start another program leaves nothing.
    if (is_exec && !session_has_ring()) {
        return;
    }
    // An exec may fail, and the program then goes on: nothing is torn down here.
    process_send_modules();
    thread_report();
    allocation_flush();
    footprint_report();
    struct ring *ring = session_ring();
    struct record_process_end *record =
        ring ? ring_reserve(ring, RECORD_PROCESS_END, sizeof *record) : NULL;
    if (record) {
        struct rusage usage = {0};
        raw_getrusage(RUSAGE_SELF, &usage);
        record->time_ns = clock_wall_ns();
        record->cpu_ns = process_cpu_ns();
        record->user_us = clock_to_us(usage.ru_utime);
        record->system_us = clock_to_us(usage.ru_stime);
        record->ready_ns = 0;
        record->peak_rss_kb = (uint64_t)usage.ru_maxrss;
        record->is_exec = is_exec;
        record->reserved = 0;
        ring_commit(record);
    }
    CYCLES_WRITE();
}
