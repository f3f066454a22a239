// SPDX-License-Identifier: Apache-2.0
#include "synthetic_writer.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"
#include "wire/control.h"

#define PYTHON_3_12   0x030c01f0u
#define STACK_AT      0x7ffd00000000u
#define HALF_PERCENT  50u
#define LOCATION_HEAD 0xe8u // no columns, one unit of two bytes

static void write_control(const char *folder)
{
    union {
        struct control control;
        uint8_t page[CONTROL_SIZE];
    } file = {.page = {0}};

    file.control.magic = CONTROL_MAGIC;
    file.control.version = CONTROL_VERSION;
    char path[128];
    snprintf(path, sizeof path, "%s/" CONTROL_FILE, folder);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(&file, sizeof file, 1, out), 1);
    fclose(out);
}

void writer_run_begin(struct writer_run *run)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    run->start_ns = ((uint64_t)now.tv_sec - 60) * 1000000000u;
    snprintf(run->folder, sizeof run->folder, "%s/scalene-test-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(run->folder));
    write_control(run->folder);
}

void writer_run_end(struct writer_run *run)
{
    char path[128];
    snprintf(path, sizeof path, "%s/" CONTROL_FILE, run->folder);
    unlink(path);
    assert_int_equal(rmdir(run->folder), 0); // the collector has removed the rings
}

// Everything after the header is the caller's.
static void *begin(struct writer *writer, enum record_type type, size_t len)
{
    uint8_t *record = ring_reserve(&writer->ring, type, len);
    if (!record) {
        writer->full_count++;
        return NULL;
    }
    memset(record + sizeof(struct record_header), 0, len - sizeof(struct record_header));
    return record;
}

static void introduce(struct writer *writer, int parent_pid)
{
    static const char texts[] = "/usr/bin/python3/folderpython3\0program.py";
    struct record_process *record = begin(writer, RECORD_PROCESS, sizeof *record + sizeof texts);
    assert_non_null(record);
    record->time_ns = writer->now_ns;
    record->pid = writer->pid;
    record->parent_pid = parent_pid;
    record->origin_pid = parent_pid;
    record->executable_len = 16;
    record->directory_len = 7;
    record->command_len = sizeof texts - 23;
    memcpy(record + 1, texts, sizeof texts);
    ring_commit(record);
    struct record_interpreter *interpreter = begin(writer, RECORD_INTERPRETER, sizeof *interpreter);
    assert_non_null(interpreter);
    interpreter->time_ns = writer->now_ns;
    interpreter->version_hex = PYTHON_3_12;
    interpreter->flags = INTERPRETER_HAS_WALK;
    ring_commit(interpreter);
}

void writer_open(struct writer *writer, const struct writer_run *run, int pid, int parent_pid)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%d.0", run->folder, pid);
    *writer = (struct writer){.pid = pid, .now_ns = run->start_ns};
    assert_true(ring_create(&writer->ring, path, pid > WRITER_GONE_PID / 2 ? 65536 : 1 << 20));
    introduce(writer, parent_pid);
}

void writer_close(struct writer *writer)
{
    ring_close(&writer->ring);
}

bool writer_raw(struct writer *writer, enum record_type type, const void *bytes, size_t len)
{
    uint8_t *record = begin(writer, type, sizeof(struct record_header) + len);
    if (record) {
        memcpy(record + sizeof(struct record_header), bytes, len);
        ring_commit(record);
    }
    return record != NULL;
}

struct search {
    uintptr_t address;
    struct record_module found;
};

static int look(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct search *search = context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        uintptr_t end = start + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && search->address >= start &&
            search->address < end) {
            search->found = (struct record_module){
                .start = info->dlpi_addr, .end = end, .bias = info->dlpi_addr};
            return 1;
        }
    }
    return 0;
}

void writer_module_of(struct writer *writer, const void *address)
{
    struct search search = {.address = (uintptr_t)address};
    char path[512];
    assert_int_equal(dl_iterate_phdr(look, &search), 1);
    ssize_t len = readlink("/proc/self/exe", path, sizeof path);
    assert_true(len > 0);
    struct record_module *record = begin(writer, RECORD_MODULE, sizeof *record + (size_t)len);
    assert_non_null(record);
    record->start = search.found.start;
    record->end = search.found.end;
    record->bias = search.found.bias;
    record->path_len = (uint32_t)len;
    memcpy(record + 1, path, (size_t)len);
    ring_commit(record);
}

static struct record_code *begin_code(struct writer *writer, uint32_t id, const char *file,
                                      const char *name, int first_line, int line_count)
{
    size_t file_len = strlen(file);
    size_t name_len = strlen(name);
    size_t table_len = 2 * (size_t)line_count;
    struct record_code *record =
        begin(writer, RECORD_CODE, sizeof *record + file_len + name_len + table_len);
    assert_non_null(record);
    record->code_id = id;
    record->first_line = first_line;
    record->line_table_len = (uint32_t)table_len;
    record->filename_len = (uint32_t)file_len;
    record->name_len = (uint32_t)name_len;
    record->filename_width = 1;
    record->name_width = 1;
    record->name_is_qualified = 1;
    uint8_t *to = (uint8_t *)(record + 1);
    memcpy(to, file, file_len);
    memcpy(to + file_len, name, name_len);
    uint8_t *table = to + file_len + name_len;
    for (int i = 0; i < line_count; i++) {
        table[2 * i] = LOCATION_HEAD;
        table[2 * i + 1] = i == 0 ? 0 : 2; // one line further
    }
    return record;
}

void writer_code(struct writer *writer, uint32_t id, const char *file, const char *name,
                 int first_line, int line_count)
{
    ring_commit(begin_code(writer, id, file, name, first_line, line_count));
}

void writer_shim(struct writer *writer, uint32_t id)
{
    struct record_code *record = begin_code(writer, id, "__init__", "__init__", 0, 1);
    record->flags = 0x2000000; // CO_NO_MONITORING_EVENTS
    ring_commit(record);
}

struct record_frame writer_frame(uint32_t code_id, int index)
{
    return (struct record_frame){code_id, 2 * index};
}

void writer_thread_begin(struct writer *writer, int tid, uint64_t start_routine)
{
    struct record_thread_begin *record = begin(writer, RECORD_THREAD_BEGIN, sizeof *record);
    assert_non_null(record);
    record->time_ns = writer->now_ns;
    record->start_routine = start_routine;
    record->python_id = 1000000u + (uint64_t)tid;
    record->tid = tid;
    ring_commit(record);
}

void writer_thread_end(struct writer *writer, int tid, uint64_t cpu_ns, uint64_t system_ns)
{
    struct record_thread_end *record = begin(writer, RECORD_THREAD_END, sizeof *record);
    assert_non_null(record);
    record->time_ns = writer->now_ns;
    record->ready_ns = writer->ready_ns;
    record->cpu_ns = cpu_ns;
    record->user_us = (cpu_ns - system_ns) / 1000;
    record->system_us = system_ns / 1000;
    record->tid = tid;
    ring_commit(record);
}

void writer_process_end(struct writer *writer, uint64_t cpu_ns, uint64_t system_ns)
{
    struct record_process_end *record = begin(writer, RECORD_PROCESS_END, sizeof *record);
    assert_non_null(record);
    record->time_ns = writer->now_ns;
    record->cpu_ns = cpu_ns;
    record->user_us = (cpu_ns - system_ns) / 1000;
    record->system_us = system_ns / 1000;
    record->peak_rss_kb = 2048;
    ring_commit(record);
}

void writer_wait(struct writer *writer, int tid, enum wait_kind kind, uint64_t duration_ns,
                 struct record_frame frame)
{
    struct record_wait *record = begin(writer, RECORD_WAIT, sizeof *record + sizeof frame);
    assert_non_null(record);
    record->time_ns = writer->now_ns;
    record->duration_ns = duration_ns;
    record->caller = 0;
    record->tid = tid;
    record->kind = (uint8_t)kind;
    record->frame_count = 1;
    memcpy(record + 1, &frame, sizeof frame);
    ring_commit(record);
}

bool writer_sample(struct writer *writer, const struct writer_sample *sample)
{
    size_t stack_len = sample->stack_len;
    uint16_t flags = sample->flags | SAMPLE_HOLDS_GIL | SAMPLE_HAS_THREAD;
    if (stack_len > 0 && ring_fill_percent(&writer->ring) > HALF_PERCENT) {
        ring_count(&writer->ring, COUNTER_copies_dropped, 1);
        flags |= SAMPLE_COPY_DROPPED;
        stack_len = 0;
    }
    size_t frames_len = sample->frame_count * sizeof *sample->frames;
    size_t copy_len = stack_len ? RECORD_REGISTER_COUNT * sizeof(uint64_t) + stack_len : 0;
    struct record_sample *record =
        begin(writer, RECORD_SAMPLE, sizeof *record + frames_len + copy_len);
    if (!record) {
        ring_count(&writer->ring, COUNTER_dropped_samples, 1);
        return false;
    }
    record->time_ns = writer->now_ns;
    record->cpu_ns = 1;
    record->ip = (uint64_t)(uintptr_t)sample->ip;
    record->mark = STACK_AT + RECORD_STACK_MAX * 2;
    record->tid = sample->tid;
    record->periods = 1;
    record->system_us = flags & SAMPLE_IN_CALL ? WRITER_PERIOD_NS / 1000 : 0;
    record->flags = flags;
    record->frame_count = (uint16_t)sample->frame_count;
    record->stack_len = (uint32_t)stack_len;
    if (frames_len > 0) {
        memcpy(record + 1, sample->frames, frames_len);
    }
    if (stack_len > 0) {
        uint64_t registers[RECORD_REGISTER_COUNT] = {[6] = STACK_AT + 64, [7] = STACK_AT + 128};
        registers[16] = (uint64_t)(uintptr_t)sample->ip;
        memcpy((uint8_t *)(record + 1) + frames_len, registers, sizeof registers);
    }
    ring_commit(record);
    return true;
}

void writer_allocation(struct writer *writer, const struct writer_allocation *allocation)
{
    size_t frames_len = allocation->frame_count * sizeof *allocation->frames;
    struct record_allocation *record =
        begin(writer, RECORD_ALLOCATION, sizeof *record + frames_len);
    assert_non_null(record);
    record->time_ns = writer->now_ns;
    record->block = allocation->block;
    record->size = allocation->size;
    record->weight = allocation->weight ? allocation->weight : allocation->size;
    record->added = allocation->added ? allocation->added : record->weight;
    record->mean = allocation->mean ? allocation->mean : allocation->weight ? WRITER_MEAN : 1;
    record->tid = allocation->tid ? allocation->tid : writer->pid;
    record->flags = allocation->flags;
    record->frame_count = (uint16_t)allocation->frame_count;
    if (frames_len > 0) {
        memcpy(record + 1, allocation->frames, frames_len);
    }
    ring_commit(record);
}

void writer_block(struct writer *writer, uint64_t block, uint64_t weight, uint32_t flags)
{
    struct record_block *record = begin(writer, RECORD_BLOCK, sizeof *record);
    assert_non_null(record);
    record->time_ns = writer->now_ns;
    record->block = block;
    record->weight = weight;
    record->flags = flags;
    ring_commit(record);
}

void writer_footprint(struct writer *writer, int64_t bytes, int64_t peak_bytes)
{
    struct record_footprint *record = begin(writer, RECORD_FOOTPRINT, sizeof *record);
    assert_non_null(record);
    record->time_ns = writer->now_ns;
    record->bytes = bytes;
    record->peak_bytes = peak_bytes;
    ring_commit(record);
}

void writer_copy(struct writer *writer, uint64_t bytes, struct record_frame frame)
{
    struct record_copy *record = begin(writer, RECORD_COPY, sizeof *record + sizeof frame);
    assert_non_null(record);
    record->time_ns = writer->now_ns;
    record->bytes = bytes;
    record->tid = writer->pid;
    record->frame_count = 1;
    memcpy(record + 1, &frame, sizeof frame);
    ring_commit(record);
}
