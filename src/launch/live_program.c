// SPDX-License-Identifier: Apache-2.0
#include "launch/live_program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "wire/control.h"

#define LOOK_INTERVAL_S 1.0
#define READ_WITHIN_MS  5000
#define PAUSE_MS        2

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

bool live_program_find(struct live_program *program, int pid, const struct run_dir *dir,
                       struct error *err)
{
    *program = (struct live_program){.pid = pid, .pidfd = -1, .dir = dir, .looked_s = now_s()};
    if (kill(pid, 0) != 0 && errno == ESRCH) {
        return error_set(err, "there is no process %d", pid);
    }
    program->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    return true;
}

static bool has_ended(const struct live_program *program)
{
    if (program->pidfd >= 0) {
        struct pollfd waited = {.fd = program->pidfd, .events = POLLIN};
        return poll(&waited, 1, 0) > 0;
    }
    return kill(program->pid, 0) != 0 && errno == ESRCH;
}

// Another program in the same process has let go of all that the first had mapped.
static bool has_left(struct live_program *program)
{
    if (now_s() - program->looked_s < LOOK_INTERVAL_S) {
        return false;
    }
    program->looked_s = now_s();
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/maps", program->pid);
    FILE *maps = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    bool is_readable = false;
    bool is_found = false;
    while (maps && !is_found && getline(&line, &room, maps) > 0) {
        is_readable = true;
        is_found = strstr(line, program->dir->path) != NULL;
    }
    free(line);
    if (maps) {
        fclose(maps);
    }
    return is_readable && !is_found;
}

enum live_program_state live_program_wait(struct live_program *program, int timeout_ms)
{
    struct pollfd waited = {.fd = program->pidfd, .events = POLLIN};
    poll(&waited, 1, timeout_ms);
    if (atomic_load(&program->dir->control->stage) != CONTROL_RUNS) {
        return LIVE_PROGRAM_STOPS;
    }
    return has_ended(program) || has_left(program) ? LIVE_PROGRAM_ENDED : LIVE_PROGRAM_RUNS;
}

static void write_answer(const struct run_dir *dir, const char *answer)
{
    int fd = openat(dir->fd, CONTROL_ANSWER_FILE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) {
        return;
    }
    // What it cannot read there the program takes for a failure, and says so.
    ssize_t written = write(fd, answer, strlen(answer));
    (void)written;
    close(fd);
}

void live_program_answer(struct live_program *program, const char *answer)
{
    struct control *control = program->dir->control;
    write_answer(program->dir, answer);
    atomic_store(&control->stage, CONTROL_IS_SAVED);
    for (int waited_ms = 0; waited_ms < READ_WITHIN_MS; waited_ms += PAUSE_MS) {
        if (atomic_load(&control->stage) == CONTROL_IS_OVER || has_ended(program)) {
            return;
        }
        poll(NULL, 0, PAUSE_MS);
    }
}

void live_program_clear(struct live_program *program)
{
    if (program->pidfd >= 0) {
        close(program->pidfd);
    }
    program->pidfd = -1;
}
