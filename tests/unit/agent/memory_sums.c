// SPDX-License-Identifier: Apache-2.0

// usage: memory_sums AGENT FOLDER PROGRAM [ARGUMENT...]: runs a program under the agent, with
// memory followed, and prints on the last line of stderr what its records add up to, as JSON.
// Children have rings of their own, which are not read.

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "wire/control.h"
#include "wire/ring.h"

#define BLOCK_ROOM (1u << 20)

static struct {
    uint64_t copied;
    uint64_t copy_records;
    uint64_t mapped;      // by mappings that were recorded
    uint64_t map_records; // of these
    struct record_footprint footprint;
    uint64_t mapped_live;
} sums;

static uint64_t weights[BLOCK_ROOM]; // of live mappings, by their number

static void set_weight(uint64_t block, uint64_t weight)
{
    if (block < BLOCK_ROOM) {
        sums.mapped_live += weight - weights[block];
        weights[block] = weight;
    }
}

static void add_allocation(const struct record_allocation *record)
{
    bool is_known = record->block < BLOCK_ROOM && weights[record->block] != 0;
    if (record->flags & ALLOCATION_IS_MAPPING || is_known) {
        sums.mapped += record->added;
        sums.map_records++;
        set_weight(record->block, record->weight);
    }
}

static void add_record(const struct ring_view *view)
{
    if (view->type == RECORD_COPY) {
        sums.copied += ((const struct record_copy *)view->record)->bytes;
        sums.copy_records++;
    } else if (view->type == RECORD_ALLOCATION) {
        add_allocation(view->record);
    } else if (view->type == RECORD_BLOCK) {
        const struct record_block *record = view->record;
        if (record->block < BLOCK_ROOM && weights[record->block] != 0) {
            set_weight(record->block, record->weight);
        }
    } else if (view->type == RECORD_FOOTPRINT) {
        memcpy(&sums.footprint, view->record, sizeof sums.footprint);
    }
}

static void drain(struct ring *ring, bool writer_is_gone)
{
    struct ring_view view = {0};
    uint64_t torn = 0;
    while (ring->header && ring_next(ring, writer_is_gone, &view, &torn)) {
        add_record(&view);
    }
}

static bool make_control(const char *folder)
{
    char path[4096];
    char page[CONTROL_SIZE] = {0};
    struct control control = {
        .magic = CONTROL_MAGIC,
        .version = CONTROL_VERSION,
        .flags = CONTROL_WAITS | CONTROL_MEMORY,
        .is_on = 1,
        .period_ns = 10000000,
        .ring_bytes = 16 << 20,
    };
    memcpy(page, &control, sizeof control);
    snprintf(path, sizeof path, "%s/" CONTROL_FILE, folder);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool is_made = fd >= 0 && write(fd, page, sizeof page) == (ssize_t)sizeof page;
    close(fd);
    return is_made;
}

static pid_t start(const char *agent, const char *folder, char **program)
{
    pid_t pid = fork();
    if (pid == 0) {
        const char *before = getenv("MEMORY_SUMS_PRELOAD"); // another library, after the agent
        char preload[8192];
        snprintf(preload, sizeof preload, "%s%s%s", agent, before ? ":" : "", before ? before : "");
        setenv("LD_PRELOAD", preload, 1);
        setenv(CONTROL_DIR_VARIABLE, folder, 1);
        execvp(program[0], program);
        _exit(127);
    }
    return pid;
}

static void print_sums(const struct ring *ring)
{
    const struct record_footprint *footprint = &sums.footprint;
    uint64_t untracked = ring->header ? ring->header->counters[COUNTER_regions_untracked] : 0;
    uint64_t dropped = ring->header ? ring->header->counters[COUNTER_dropped_full] : 0;
    fprintf(stderr,
            "{\"copied\": %lu, \"copy_records\": %lu, \"mapped\": %lu, \"map_records\": %lu, "
            "\"mapped_live\": %lu, \"footprint\": %ld, \"peak\": %ld, \"file\": %ld, "
            "\"shared\": %ld, \"untracked\": %lu, \"dropped\": %lu}\n",
            sums.copied, sums.copy_records, sums.mapped, sums.map_records, sums.mapped_live,
            footprint->bytes, footprint->peak_bytes, footprint->file_bytes, footprint->shared_bytes,
            untracked, dropped);
}

int main(int count, char **arguments)
{
    if (count < 4 || !make_control(arguments[2])) {
        fprintf(stderr, "usage: memory_sums AGENT FOLDER PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    pid_t pid = start(arguments[1], arguments[2], arguments + 3);
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.0", arguments[2], (int)pid);
    struct ring ring = {0};
    int status = 0;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (ring.header || ring_open(&ring, path) == RING_OPENED) {
            drain(&ring, false);
        }
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    if (!ring.header) {
        ring_open(&ring, path);
    }
    drain(&ring, true);
    print_sums(&ring);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
