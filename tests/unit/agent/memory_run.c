// SPDX-License-Identifier: Apache-2.0

// usage: memory_run AGENT MEAN COMMAND...
// Runs the command with the agent following memory, at a mean of its own choice if MEAN is 0, and
// adds up what it records: per process the counts, the footprint, mappings and copies, per function
// what it allocated and holds. The last line but one is
// the exit status. A summary line is `PID key value ...`; a function's is `PID : name ...`.

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wire/control.h"
#include "wire/ring.h"

#define PROCESS_MAX  64
#define CODE_MAX     65536
#define FUNCTION_MAX 4096
#define BLOCK_MAX    (1u << 22)

struct function {
    char name[64];
    double added;
    double live;
    double live_at_end; // when the interpreter began to finalise
    double python;
    unsigned long samples;
};

struct block {
    struct function *owner;
    uint64_t weight;
    bool is_live;
    bool is_mapping; // once and for all that takes its place
};

struct process {
    char file[64];
    struct ring ring;
    struct ring_view view;
    uint64_t torn;
    char (*codes)[64];
    struct function functions[FUNCTION_MAX];
    unsigned function_count;
    struct block *blocks;
    unsigned long frees;
    unsigned long unknown; // blocks that no allocation introduced
    unsigned long with_stack;
    struct record_footprint footprint;
    unsigned long footprints;
    uint64_t mapped; // by mappings that were recorded
    uint64_t mapped_live;
    uint64_t copied;
    uint64_t mean;
};

static struct process *processes[PROCESS_MAX];
static unsigned process_count;
static char run_dir[] = "/dev/shm/memory_run.XXXXXX";

static struct function *function_of(struct process *process, const char *name)
{
    for (unsigned i = 0; i < process->function_count; i++) {
        if (strcmp(process->functions[i].name, name) == 0) {
            return &process->functions[i];
        }
    }
    struct function *function = &process->functions[process->function_count++];
    if (process->function_count == FUNCTION_MAX) {
        abort();
    }
    snprintf(function->name, sizeof function->name, "%s", name);
    return function;
}

static void take_code(struct process *process, const struct record_code *record)
{
    const char *name = (const char *)(record + 1) + record->filename_len;
    if (record->code_id < CODE_MAX) {
        snprintf(process->codes[record->code_id], 64, "%.*s", (int)record->name_len, name);
    }
}

// A mapping stays one when it grows.
static bool take_mapping(struct process *process, const struct block *block,
                         const struct record_allocation *record)
{
    bool was_mapping = block->is_live && block->is_mapping;
    if (!was_mapping && !(record->flags & ALLOCATION_IS_MAPPING)) {
        return false;
    }
    process->mapped += record->added;
    process->mapped_live += record->weight - (was_mapping ? block->weight : 0);
    return true;
}

static void take_allocation(struct process *process, const struct record_allocation *record)
{
    const struct record_frame *frames = (const void *)(record + 1);
    if (record->block >= BLOCK_MAX) {
        abort();
    }
    struct block *block = &process->blocks[record->block];
    const char *name = record->frame_count ? process->codes[frames[0].code_id % CODE_MAX]
                       : record->flags & ALLOCATION_IS_PYTHON ? "(interpreter)"
                       : record->stack_len                    ? "(native)"
                                                              : "(none)";
    struct function *function = function_of(process, name);
    if (record->flags & ALLOCATION_KEEPS_STACK && block->owner) {
        function = block->owner;
    }
    if (block->is_live) {
        block->owner->live -= (double)block->weight;
        process->unknown += !(record->flags & ALLOCATION_IS_GROWTH);
    }
    function->added += (double)record->added;
    function->live += (double)record->weight;
    function->python += record->flags & ALLOCATION_IS_PYTHON ? (double)record->added : 0;
    function->samples++;
    process->with_stack += record->stack_len > 0;
    process->mean = record->mean;
    *block = (struct block){function, record->weight, true, take_mapping(process, block, record)};
}

static void take_block(struct process *process, const struct record_block *record)
{
    struct block *block = &process->blocks[record->block % BLOCK_MAX];
    if (!block->is_live) {
        process->unknown++;
        return;
    }
    double change = (double)record->weight - (double)block->weight;
    block->owner->live += change;
    block->owner->live_at_end -= record->flags & BLOCK_AT_END ? change : 0;
    process->mapped_live += block->is_mapping ? record->weight - block->weight : 0;
    block->weight = record->weight;
    block->is_live = record->weight != 0;
    process->frees += record->flags & BLOCK_IS_FREED;
}

static void drain(struct process *process, bool is_gone)
{
    while (ring_next(&process->ring, is_gone, &process->view, &process->torn)) {
        const void *record = process->view.record;
        if (process->view.type == RECORD_CODE) {
            take_code(process, record);
        } else if (process->view.type == RECORD_ALLOCATION) {
            take_allocation(process, record);
        } else if (process->view.type == RECORD_BLOCK) {
            take_block(process, record);
        } else if (process->view.type == RECORD_FOOTPRINT) {
            memcpy(&process->footprint, record, sizeof process->footprint);
            process->footprints++;
        } else if (process->view.type == RECORD_COPY) {
            process->copied += ((const struct record_copy *)record)->bytes;
        }
    }
}

static void open_new(void)
{
    DIR *directory = opendir(run_dir);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        bool is_known = strcmp(entry->d_name, CONTROL_FILE) == 0 || entry->d_name[0] == '.';
        for (unsigned i = 0; i < process_count; i++) {
            is_known |= strcmp(processes[i]->file, entry->d_name) == 0;
        }
        char path[512];
        snprintf(path, sizeof path, "%s/%s", run_dir, entry->d_name);
        struct process *process = is_known ? NULL : calloc(1, sizeof *process);
        if (process && process_count < PROCESS_MAX &&
            ring_open(&process->ring, path) == RING_OPENED) {
            snprintf(process->file, sizeof process->file, "%.60s", entry->d_name);
            process->codes = calloc(CODE_MAX, sizeof *process->codes);
            process->blocks = calloc(BLOCK_MAX, sizeof *process->blocks);
            processes[process_count++] = process;
        } else {
            free(process);
        }
    }
    closedir(directory);
}

static void drain_all(bool is_gone)
{
    open_new();
    for (unsigned i = 0; i < process_count; i++) {
        drain(processes[i], is_gone);
    }
}

static void report(struct process *process)
{
    double added = 0;
    double live = 0;
    for (unsigned i = 0; i < process->function_count; i++) {
        struct function *f = &process->functions[i];
        printf("%s : %s added %.0f live %.0f at_end %.0f python %.0f samples %lu\n", process->file,
               f->name, f->added, f->live, f->live + f->live_at_end, f->python, f->samples);
        added += f->added;
        live += f->live;
    }
    const struct record_footprint *footprint = &process->footprint;
    printf("%s footprint %ld peak %ld file %ld shared %ld records %lu", process->file,
           footprint->bytes, footprint->peak_bytes, footprint->file_bytes, footprint->shared_bytes,
           process->footprints);
    printf(" added %.0f live %.0f frees %lu unknown %lu with_stack %lu torn %lu mean %lu", added,
           live, process->frees, process->unknown, process->with_stack, process->torn,
           process->mean);
    printf(" mapped %lu mapped_live %lu copied %lu", process->mapped, process->mapped_live,
           process->copied);
#define X(name) printf(" " #name " %lu", process->ring.header->counters[COUNTER_##name]);
    RING_COUNTERS(X)
#undef X
    printf("\n");
}

static void make_control(uint64_t mean)
{
    char path[512];
    struct control control = {
        .magic = CONTROL_MAGIC,
        .version = CONTROL_VERSION,
        .flags = CONTROL_MEMORY | CONTROL_STACKS | CONTROL_WAITS,
        .is_on = 1,
        .period_ns = 10000000,
        .ring_bytes = 16 << 20, // whoever reads it may have to wait for a core
        .allocation_mean = mean,
    };
    snprintf(path, sizeof path, "%s/%s", run_dir, CONTROL_FILE);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, CONTROL_SIZE) != 0 ||
        write(fd, &control, sizeof control) != sizeof control) {
        perror(path);
        exit(125);
    }
    close(fd);
}

static void remove_all(void)
{
    char command[600];
    snprintf(command, sizeof command, "rm -rf '%s'", run_dir);
    if (system(command) != 0) {
        perror(command);
    }
}

int main(int argument_count, char **arguments)
{
    if (argument_count < 4 || !mkdtemp(run_dir)) {
        return 125;
    }
    make_control(strtoull(arguments[2], NULL, 0));
    pid_t child = fork();
    if (child == 0) {
        const char *given = getenv("MEMORY_RUN_PRELOAD"); // an allocator of the program's
        char preload[1024];
        snprintf(preload, sizeof preload, "%s%s%s", arguments[1], given ? ":" : "",
                 given ? given : "");
        setenv("LD_PRELOAD", preload, 1);
        setenv(CONTROL_DIR_VARIABLE, run_dir, 1);
        execvp(arguments[3], arguments + 3);
        perror(arguments[3]);
        _exit(127);
    }
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        drain_all(false);
        usleep(2000);
    }
    drain_all(true);
    for (unsigned i = 0; i < process_count; i++) {
        report(processes[i]);
    }
    printf("program %d\n", (int)child);
    printf("status %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    remove_all();
    return 0;
}
