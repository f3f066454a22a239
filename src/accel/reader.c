// SPDX-License-Identifier: Apache-2.0
#include "accel/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "accel/pace.h"
#include "accel/reading.h"
#include "accel/use.h"
#include "base/mem.h"

#define LOOK_MIN_S    0.1
#define LOOK_MAX_S    1.0
#define LOOKS_KEPT    4
#define LOOKED_AT     64 // processes at a time
#define CLOSE_WAIT_S  0.01
#define CLOSE_STEP_US 500
#define PIPE_BYTES    (1 << 20) // two thousand messages

void reader_init(struct reader *reader)
{
    *reader = (struct reader){.command_fd = -1, .message_fd = -1};
}

// The sooner after the start, the more often: what a program opens it mostly opens early.
static bool is_time_to_look(struct reader *reader, size_t count)
{
    double now_s = pace_now_s();
    if (reader->first_s <= 0 && count > 0) {
        reader->first_s = now_s;
    }
    if (count == 0 || now_s < reader->look_s) {
        return false;
    }
    double passed_s = now_s - reader->first_s;
    reader->look_s = now_s + fmax(LOOK_MIN_S, fmin(LOOK_MAX_S, passed_s / LOOKS_KEPT));
    return true;
}

static bool has_device_open(struct reader *reader, const int *pids, size_t count)
{
    bool has_one = false;
    size_t looked_at = count < LOOKED_AT ? count : LOOKED_AT;
    for (size_t i = 0; i < looked_at && !has_one; i++) {
        struct use use;
        has_one = use_look(pids[(reader->hand + i) % count], &use) && !use_is_empty(&use);
    }
    reader->hand = count > 0 ? (reader->hand + looked_at) % count : 0;
    return has_one;
}

static void become_reading(int command_fd, int message_fd)
{
    static const int ignored[] = {SIGINT,  SIGQUIT, SIGTERM, SIGHUP, SIGTSTP,
                                  SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        signal(ignored[i], SIG_IGN);
    }
    signal(SIGCHLD, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++) {
        dup2(null, fd);
    }
    reading_run(command_fd, message_fd);
    _exit(0);
}

static void start(struct reader *reader)
{
    int commands[2];
    int messages[2];
    reader->is_off = true;
    if (pipe2(commands, O_CLOEXEC) != 0) {
        return;
    }
    if (pipe2(messages, O_CLOEXEC | O_NONBLOCK) != 0) {
        close(commands[0]);
        close(commands[1]);
        return;
    }
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        close(commands[1]);
        close(messages[0]);
        reading_die_with(parent);
        become_reading(commands[0], messages[1]);
    }
    close(commands[0]);
    close(messages[1]);
    if (pid < 0) {
        close(commands[1]);
        close(messages[0]);
        return;
    }
    fcntl(commands[1], F_SETFL, O_NONBLOCK);
    fcntl(messages[0], F_SETPIPE_SZ, PIPE_BYTES); // as much as the system allows
    reader->pid = pid;
    reader->command_fd = commands[1];
    reader->message_fd = messages[0];
    reader->is_off = false;
}

static bool has_changed(const struct reader *reader, const int *pids, size_t count)
{
    return count != reader->pid_count ||
           (count > 0 && memcmp(pids, reader->pids, count * sizeof *pids) != 0);
}

static void tell_processes(struct reader *reader, const int *pids, size_t count)
{
    struct reading_command command = {0};
    count = count < READING_PROCESSES_MAX ? count : READING_PROCESSES_MAX;
    if (!has_changed(reader, pids, count)) {
        return;
    }
    command.count = (int)count;
    memcpy(command.pids, pids, count * sizeof *pids);
    ssize_t len = write(reader->command_fd, &command, sizeof command);
    if (len == (ssize_t)sizeof command) { // else told the next time
        reader->pids = mem_resize(reader->pids, (count + 1) * sizeof *pids);
        memcpy(reader->pids, pids, count * sizeof *pids);
        reader->pid_count = count;
    }
}

void reader_tick(struct reader *reader, const int *pids, size_t count)
{
    if (reader->is_off) {
        return;
    }
    if (!reader->pid && is_time_to_look(reader, count) && has_device_open(reader, pids, count)) {
        start(reader);
    }
    if (reader->pid) {
        tell_processes(reader, pids, count);
    }
}

bool reader_next(struct reader *reader, struct message *message)
{
    if (reader->message_fd < 0) {
        return false;
    }
    ssize_t len;
    do {
        len = read(reader->message_fd, message, sizeof *message);
    } while (len < 0 && errno == EINTR);
    if (len == 0 && !reader->is_off) {
        reader->has_failed = true;
        reader_close(reader);
    }
    return len == (ssize_t)sizeof *message;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static bool has_ended(const struct reader *reader, double patience_s, struct rusage *usage)
{
    double until_s = pace_now_s() + patience_s;
    while (wait4(reader->pid, NULL, WNOHANG, usage) == 0) {
        if (pace_now_s() >= until_s) {
            return false;
        }
        usleep(CLOSE_STEP_US);
    }
    return true;
}

// It ends by itself when nobody talks to it any more, and lets go of its devices. One that hangs in
// a driver is ended; where the driver's kernel part hangs, not even that helps, and it is left.
static void end_process(struct reader *reader)
{
    struct rusage usage = {0};
    if (!has_ended(reader, CLOSE_WAIT_S, &usage)) {
        kill(reader->pid, SIGKILL);
        (void)has_ended(reader, CLOSE_WAIT_S, &usage);
    }
    reader->cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void reader_close(struct reader *reader)
{
    reader->is_off = true;
    if (reader->command_fd >= 0) {
        close(reader->command_fd);
    }
    if (reader->pid) {
        end_process(reader);
        reader->pid = 0;
    }
    if (reader->message_fd >= 0) {
        close(reader->message_fd);
    }
    reader->command_fd = -1;
    reader->message_fd = -1;
    free(reader->pids);
    reader->pids = NULL;
    reader->pid_count = 0;
}
