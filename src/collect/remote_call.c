// SPDX-License-Identifier: Apache-2.0
#include "collect/remote_call.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ASKED_MAX 64 // descriptors whose kind is asked

struct call {
    long number;
    uint64_t arguments[6];
};

// How the kind is found.
enum call_shape {
    SHAPE_KIND,       // it is the row's
    SHAPE_DESCRIPTOR, // of the first argument
    SHAPE_PAIR,       // of the first and second
    SHAPE_SPLICE,     // of the first and third
    SHAPE_FUTEX,
    SHAPE_POLL,
    SHAPE_SELECT,
};

struct call_row {
    long number;
    enum call_shape shape;
    enum wait_kind kind;
};

static const struct call_row table[] = {
    {SYS_futex, SHAPE_FUTEX, WAIT_LOCK},
    {SYS_flock, SHAPE_KIND, WAIT_LOCK},
    {SYS_fcntl, SHAPE_KIND, WAIT_LOCK},
    {SYS_semop, SHAPE_KIND, WAIT_LOCK},
    {SYS_semtimedop, SHAPE_KIND, WAIT_LOCK},
    {SYS_nanosleep, SHAPE_KIND, WAIT_SLEEP},
    {SYS_clock_nanosleep, SHAPE_KIND, WAIT_SLEEP},
    {SYS_read, SHAPE_DESCRIPTOR, WAIT_OTHER},
    {SYS_write, SHAPE_DESCRIPTOR, WAIT_OTHER},
    {SYS_readv, SHAPE_DESCRIPTOR, WAIT_OTHER},
    {SYS_writev, SHAPE_DESCRIPTOR, WAIT_OTHER},
    {SYS_pread64, SHAPE_DESCRIPTOR, WAIT_OTHER},
    {SYS_pwrite64, SHAPE_DESCRIPTOR, WAIT_OTHER},
    {SYS_preadv, SHAPE_DESCRIPTOR, WAIT_OTHER},
    {SYS_pwritev, SHAPE_DESCRIPTOR, WAIT_OTHER},
    {SYS_preadv2, SHAPE_DESCRIPTOR, WAIT_OTHER},
    {SYS_pwritev2, SHAPE_DESCRIPTOR, WAIT_OTHER},
    {SYS_sendfile, SHAPE_PAIR, WAIT_OTHER},
    {SYS_tee, SHAPE_PAIR, WAIT_OTHER},
    {SYS_splice, SHAPE_SPLICE, WAIT_OTHER},
    {SYS_recvfrom, SHAPE_KIND, WAIT_NETWORK},
    {SYS_recvmsg, SHAPE_KIND, WAIT_NETWORK},
    {SYS_recvmmsg, SHAPE_KIND, WAIT_NETWORK},
    {SYS_sendto, SHAPE_KIND, WAIT_NETWORK},
    {SYS_sendmsg, SHAPE_KIND, WAIT_NETWORK},
    {SYS_sendmmsg, SHAPE_KIND, WAIT_NETWORK},
    {SYS_accept, SHAPE_KIND, WAIT_NETWORK},
    {SYS_accept4, SHAPE_KIND, WAIT_NETWORK},
    {SYS_connect, SHAPE_KIND, WAIT_NETWORK},
    {SYS_epoll_pwait, SHAPE_KIND, WAIT_NETWORK},
    {SYS_epoll_pwait2, SHAPE_KIND, WAIT_NETWORK},
    {SYS_ppoll, SHAPE_POLL, WAIT_NETWORK},
    {SYS_pselect6, SHAPE_SELECT, WAIT_NETWORK},
    {SYS_msgrcv, SHAPE_KIND, WAIT_PIPE},
    {SYS_msgsnd, SHAPE_KIND, WAIT_PIPE},
    {SYS_mq_timedreceive, SHAPE_KIND, WAIT_PIPE},
    {SYS_mq_timedsend, SHAPE_KIND, WAIT_PIPE},
    {SYS_wait4, SHAPE_KIND, WAIT_CHILD},
    {SYS_waitid, SHAPE_KIND, WAIT_CHILD},
    {SYS_clone, SHAPE_KIND, WAIT_CHILD},
    {SYS_clone3, SHAPE_KIND, WAIT_CHILD},
    {SYS_fsync, SHAPE_KIND, WAIT_DISK},
    {SYS_fdatasync, SHAPE_KIND, WAIT_DISK},
    {SYS_syncfs, SHAPE_KIND, WAIT_DISK},
    {SYS_sync, SHAPE_KIND, WAIT_DISK},
    {SYS_sync_file_range, SHAPE_KIND, WAIT_DISK},
    {SYS_msync, SHAPE_KIND, WAIT_DISK},
    {SYS_copy_file_range, SHAPE_KIND, WAIT_DISK},
    {SYS_openat, SHAPE_KIND, WAIT_DISK},
    {SYS_unlinkat, SHAPE_KIND, WAIT_DISK},
    {SYS_renameat2, SHAPE_KIND, WAIT_DISK},
#if defined(__x86_64__)
    {SYS_poll, SHAPE_POLL, WAIT_NETWORK},
    {SYS_select, SHAPE_SELECT, WAIT_NETWORK},
    {SYS_epoll_wait, SHAPE_KIND, WAIT_NETWORK},
    {SYS_vfork, SHAPE_KIND, WAIT_CHILD},
    {SYS_open, SHAPE_KIND, WAIT_DISK},
    {SYS_creat, SHAPE_KIND, WAIT_DISK},
    {SYS_unlink, SHAPE_KIND, WAIT_DISK},
    {SYS_rename, SHAPE_KIND, WAIT_DISK},
    {SYS_renameat, SHAPE_KIND, WAIT_DISK},
#endif
};

// Never asks a server over the network, which may be what the program is waiting for.
static enum wait_kind descriptor_kind(int pid, uint64_t fd)
{
    char path[64];
    struct statx status;
    snprintf(path, sizeof path, "/proc/%d/fd/%u", pid, (unsigned)fd);
    if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_TYPE, &status) != 0) {
        return WAIT_OTHER;
    }
    switch (status.stx_mode & S_IFMT) {
    case S_IFSOCK:
        return WAIT_NETWORK;
    case S_IFREG:
    case S_IFBLK:
    case S_IFDIR:
        return WAIT_DISK;
    default:
        return WAIT_PIPE;
    }
}

static enum wait_kind pair_kind(int pid, uint64_t in_fd, uint64_t out_fd)
{
    enum wait_kind in = descriptor_kind(pid, in_fd);
    enum wait_kind out = descriptor_kind(pid, out_fd);
    if (in == WAIT_NETWORK || out == WAIT_NETWORK) {
        return WAIT_NETWORK;
    }
    return in == WAIT_PIPE ? in : out;
}

// Of many descriptors: for time when there are none, for a pipe when all are pipes.
static enum wait_kind add_kind(int pid, uint64_t fd)
{
    return descriptor_kind(pid, fd) == WAIT_PIPE ? WAIT_PIPE : WAIT_NETWORK;
}

static enum wait_kind poll_kind(struct remote_memory *memory, uint64_t address, uint64_t count)
{
    struct pollfd fds[ASKED_MAX];
    enum wait_kind kind = WAIT_SLEEP;
    count = count < ASKED_MAX ? count : ASKED_MAX;
    if (count > 0 && !remote_memory_read(memory, address, fds, count * sizeof *fds)) {
        return WAIT_NETWORK;
    }
    for (size_t i = 0; i < count && kind != WAIT_NETWORK; i++) {
        if (fds[i].fd >= 0) {
            kind = add_kind(memory->pid, (uint64_t)fds[i].fd);
        }
    }
    return kind;
}

static enum wait_kind select_kind(struct remote_memory *memory, const uint64_t arguments[6])
{
    fd_set sets[3];
    enum wait_kind kind = WAIT_SLEEP;
    int end = arguments[0] < FD_SETSIZE ? (int)arguments[0] : FD_SETSIZE;
    size_t len = ((size_t)end + 63) / 64 * 8;
    for (int i = 0; i < 3; i++) {
        FD_ZERO(&sets[i]);
        if (len > 0 && arguments[i + 1] != 0 &&
            !remote_memory_read(memory, arguments[i + 1], &sets[i], len)) {
            return WAIT_NETWORK;
        }
    }
    for (int fd = 0; fd < end && kind != WAIT_NETWORK; fd++) {
        if (FD_ISSET(fd, &sets[0]) || FD_ISSET(fd, &sets[1]) || FD_ISSET(fd, &sets[2])) {
            kind = add_kind(memory->pid, (uint64_t)fd);
        }
    }
    return kind;
}

static enum wait_kind kind_of(struct remote_memory *memory,
                              const struct remote_interpreter *interpreter, const struct call *call)
{
    const struct call_row *row = table;
    const struct call_row *end = table + sizeof table / sizeof *table;
    const uint64_t *arguments = call->arguments;
    while (row < end && row->number != call->number) {
        row++;
    }
    switch (row < end ? (int)row->shape : -1) {
    case SHAPE_KIND:
        return row->kind;
    case SHAPE_DESCRIPTOR:
        return descriptor_kind(memory->pid, arguments[0]);
    case SHAPE_PAIR:
        return pair_kind(memory->pid, arguments[0], arguments[1]);
    case SHAPE_SPLICE:
        return pair_kind(memory->pid, arguments[0], arguments[2]);
    case SHAPE_FUTEX:
        return arguments[0] - interpreter->runtime_start <
                       interpreter->runtime_end - interpreter->runtime_start
                   ? WAIT_GIL
                   : WAIT_LOCK;
    case SHAPE_POLL:
        return poll_kind(memory, arguments[0], arguments[1]);
    case SHAPE_SELECT:
        return select_kind(memory, arguments);
    default:
        return WAIT_OTHER;
    }
}

// "NUMBER ARGUMENT... SP IP"; "-1 SP IP" outside a system call; "running".
static enum remote_call read_call(int pid, int tid, struct call *call)
{
    char path[64];
    char line[256];
    snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", pid, tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd >= 0 ? read(fd, line, sizeof line - 1) : -1;
    bool is_refused = len < 0 && (errno == EPERM || errno == EACCES);
    if (fd >= 0) {
        close(fd);
    }
    if (len <= 0) {
        return is_refused ? REMOTE_CALL_REFUSED : REMOTE_CALL_RUNNING;
    }
    line[len] = '\0';
    unsigned long words[6];
    int found = sscanf(line, "%ld %lx %lx %lx %lx %lx %lx", &call->number, &words[0], &words[1],
                       &words[2], &words[3], &words[4], &words[5]);
    for (int i = 0; found == 7 && i < 6; i++) {
        call->arguments[i] = words[i];
    }
    return found == 7 ? REMOTE_CALL_BLOCKED : REMOTE_CALL_RUNNING;
}

enum remote_call remote_call_look(struct remote_memory *memory,
                                  const struct remote_interpreter *interpreter, int tid,
                                  enum wait_kind *kind)
{
    struct call call;
    enum remote_call state = read_call(memory->pid, tid, &call);
    if (state == REMOTE_CALL_BLOCKED) {
        *kind = kind_of(memory, interpreter, &call);
    }
    return state;
}
