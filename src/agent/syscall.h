// SPDX-License-Identifier: Apache-2.0
#pragma once

// System calls made directly: errno is not touched, no hook of ours is passed, nothing newer than
// the oldest C library is imported, and none is a cancellation point. Each returns what the kernel
// does: 0 or more, or minus the error number.
// Context: any thread, signal handler, vfork child

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#if defined(__x86_64__)
#include "agent/syscall_x86_64.h"
#else
#error "no system call layer for this processor yet"
#endif

// What the kernel calls a signal set: one bit a signal, signal 1 lowest.
#define RAW_SIGSET_BYTES 8

struct raw_timer {
    int id; // the kernel's, from 0 up in each process; not the C library's timer_t
};

static inline int raw_gettid(void)
{
    return (int)raw_syscall4(SYS_gettid, 0, 0, 0, 0);
}

static inline int raw_getpid(void)
{
    return (int)raw_syscall4(SYS_getpid, 0, 0, 0, 0);
}

static inline int raw_getppid(void)
{
    return (int)raw_syscall4(SYS_getppid, 0, 0, 0, 0);
}

// SYS_getuid and its like.
static inline unsigned raw_identity(long number)
{
    return (unsigned)raw_syscall4(number, 0, 0, 0, 0);
}

static inline int raw_prctl(int option)
{
    return (int)raw_syscall6(SYS_prctl, option, 0, 0, 0, 0, 0);
}

static inline int raw_access(const char *path, int mode)
{
    return (int)raw_syscall4(SYS_access, (long)path, mode, 0, 0);
}

static inline long raw_fgetxattr(int fd, const char *name, void *value, size_t size)
{
    return raw_syscall4(SYS_fgetxattr, fd, (long)name, (long)value, (long)size);
}

static inline int raw_kill(int pid, int signal_number)
{
    return (int)raw_syscall4(SYS_kill, pid, signal_number, 0, 0);
}

static inline void raw_sleep_us(unsigned us)
{
    struct timespec span = {0, (long)us * 1000};
    raw_syscall4(SYS_nanosleep, (long)&span, 0, 0, 0);
}

static inline int raw_sched_yield(void)
{
    return (int)raw_syscall4(SYS_sched_yield, 0, 0, 0, 0);
}

static inline int raw_tgsigqueueinfo(int pid, int tid, int signal_number, siginfo_t *info)
{
    return (int)raw_syscall4(SYS_rt_tgsigqueueinfo, pid, tid, signal_number, (long)info);
}

static inline int raw_sigprocmask(int how, const uint64_t *set, uint64_t *old)
{
    return (int)raw_syscall4(SYS_rt_sigprocmask, how, (long)set, (long)old, RAW_SIGSET_BYTES);
}

static inline int raw_sigpending(uint64_t *set)
{
    return (int)raw_syscall4(SYS_rt_sigpending, (long)set, RAW_SIGSET_BYTES, 0, 0);
}

static inline int raw_timer_create(clockid_t clock, struct sigevent *event, struct raw_timer *timer)
{
    return (int)raw_syscall4(SYS_timer_create, clock, (long)event, (long)&timer->id, 0);
}

static inline int raw_timer_settime(struct raw_timer timer, int flags,
                                    const struct itimerspec *value, struct itimerspec *old)
{
    return (int)raw_syscall4(SYS_timer_settime, timer.id, flags, (long)value, (long)old);
}

static inline int raw_timer_delete(struct raw_timer timer)
{
    return (int)raw_syscall4(SYS_timer_delete, timer.id, 0, 0, 0);
}

// Always a system call; for CLOCK_MONOTONIC the C library's is faster.
static inline int raw_clock_gettime(clockid_t clock, struct timespec *time)
{
    return (int)raw_syscall4(SYS_clock_gettime, clock, (long)time, 0, 0);
}

static inline int raw_getrusage(int who, struct rusage *usage)
{
    return (int)raw_syscall4(SYS_getrusage, who, (long)usage, 0, 0);
}

static inline int raw_fstat(int fd, struct stat *status)
{
    return (int)raw_syscall4(SYS_fstat, fd, (long)status, 0, 0);
}

static inline int raw_openat(int directory, const char *path, int flags, unsigned mode)
{
    return (int)raw_syscall4(SYS_openat, directory, (long)path, flags, mode);
}

static inline int raw_close(int fd)
{
    return (int)raw_syscall4(SYS_close, fd, 0, 0, 0);
}

static inline int raw_fcntl(int fd, int command, long argument)
{
    return (int)raw_syscall4(SYS_fcntl, fd, command, argument, 0);
}

static inline long raw_read(int fd, void *buf, size_t len)
{
    return raw_syscall4(SYS_read, fd, (long)buf, (long)len, 0);
}

static inline long raw_pread(int fd, void *buf, size_t len, off_t offset)
{
    return raw_syscall4(SYS_pread64, fd, (long)buf, (long)len, offset);
}

static inline long raw_getdents64(int fd, void *buf, size_t len)
{
    return raw_syscall4(SYS_getdents64, fd, (long)buf, (long)len, 0);
}

static inline long raw_readlink(const char *path, char *buf, size_t len)
{
    return raw_syscall4(SYS_readlink, (long)path, (long)buf, (long)len, 0);
}

// MAP_FAILED's neighbours, -1 to -4095, are errors.
static inline long raw_mmap(void *address, size_t len, int protection, int flags, int fd,
                            off_t offset)
{
    return raw_syscall6(SYS_mmap, (long)address, (long)len, protection, flags, fd, offset);
}

static inline int raw_munmap(void *address, size_t len)
{
    return (int)raw_syscall4(SYS_munmap, (long)address, (long)len, 0, 0);
}

static inline int raw_mprotect(void *address, size_t len, int protection)
{
    return (int)raw_syscall4(SYS_mprotect, (long)address, (long)len, protection, 0);
}

static inline int raw_madvise(void *address, size_t len, int advice)
{
    return (int)raw_syscall4(SYS_madvise, (long)address, (long)len, advice, 0);
}
