// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every function of the C library that the agent stands in front of, once, grouped by what its hook
// does. X(return type, name, (parameters), (arguments), "version of the original").
// The version is the oldest with today's meaning: it exists on every supported C library, while a
// search without one may give an older function (pthread_cond_wait of 2.2.5 corrupts today's).
// From this list come the table of originals, their search, the simple hooks and the export check.

#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

// clang-format off

// Bytes to or from `fd`, at most `len`.
#define HOOKS_TRANSFER(X)                                                                          \
    X(ssize_t, read, (int fd, void *buf, size_t len), (fd, buf, len), "GLIBC_2.2.5")               \
    X(ssize_t, write, (int fd, const void *buf, size_t len), (fd, buf, len), "GLIBC_2.2.5")        \
    X(ssize_t, pread, (int fd, void *buf, size_t len, off_t at), (fd, buf, len, at),               \
      "GLIBC_2.2.5")                                                                               \
    X(ssize_t, pread64, (int fd, void *buf, size_t len, off64_t at), (fd, buf, len, at),           \
      "GLIBC_2.2.5")                                                                               \
    X(ssize_t, pwrite, (int fd, const void *buf, size_t len, off_t at), (fd, buf, len, at),        \
      "GLIBC_2.2.5")                                                                               \
    X(ssize_t, pwrite64, (int fd, const void *buf, size_t len, off64_t at), (fd, buf, len, at),    \
      "GLIBC_2.2.5")                                                                               \
    X(ssize_t, __read_chk, (int fd, void *buf, size_t len, size_t room), (fd, buf, len, room),     \
      "GLIBC_2.4")                                                                                 \
    X(ssize_t, __pread_chk, (int fd, void *buf, size_t len, off_t at, size_t room),                \
      (fd, buf, len, at, room), "GLIBC_2.4")                                                       \
    X(ssize_t, __pread64_chk, (int fd, void *buf, size_t len, off64_t at, size_t room),            \
      (fd, buf, len, at, room), "GLIBC_2.4")

// The same through `count` pieces at `pieces`.
#define HOOKS_VECTOR(X)                                                                            \
    X(ssize_t, readv, (int fd, const struct iovec *pieces, int count), (fd, pieces, count),        \
      "GLIBC_2.2.5")                                                                               \
    X(ssize_t, writev, (int fd, const struct iovec *pieces, int count), (fd, pieces, count),       \
      "GLIBC_2.2.5")                                                                               \
    X(ssize_t, preadv, (int fd, const struct iovec *pieces, int count, off_t at),                  \
      (fd, pieces, count, at), "GLIBC_2.10")                                                       \
    X(ssize_t, preadv64, (int fd, const struct iovec *pieces, int count, off64_t at),              \
      (fd, pieces, count, at), "GLIBC_2.10")                                                       \
    X(ssize_t, pwritev, (int fd, const struct iovec *pieces, int count, off_t at),                 \
      (fd, pieces, count, at), "GLIBC_2.10")                                                       \
    X(ssize_t, pwritev64, (int fd, const struct iovec *pieces, int count, off64_t at),             \
      (fd, pieces, count, at), "GLIBC_2.10")                                                       \
    X(ssize_t, preadv2, (int fd, const struct iovec *pieces, int count, off_t at, int flags),      \
      (fd, pieces, count, at, flags), "GLIBC_2.26")                                                \
    X(ssize_t, preadv64v2, (int fd, const struct iovec *pieces, int count, off64_t at, int flags), \
      (fd, pieces, count, at, flags), "GLIBC_2.26")                                                \
    X(ssize_t, pwritev2, (int fd, const struct iovec *pieces, int count, off_t at, int flags),     \
      (fd, pieces, count, at, flags), "GLIBC_2.26")                                                \
    X(ssize_t, pwritev64v2, (int fd, const struct iovec *pieces, int count, off64_t at,            \
      int flags), (fd, pieces, count, at, flags), "GLIBC_2.26")

// Bytes from a socket, at most `len`.
#define HOOKS_RECEIVE(X)                                                                           \
    X(ssize_t, recv, (int fd, void *buf, size_t len, int flags), (fd, buf, len, flags),            \
      "GLIBC_2.2.5")                                                                               \
    X(ssize_t, recvfrom, (int fd, void *buf, size_t len, int flags, struct sockaddr *peer,         \
      socklen_t *peer_len), (fd, buf, len, flags, peer, peer_len), "GLIBC_2.2.5")                  \
    X(ssize_t, __recv_chk, (int fd, void *buf, size_t len, size_t room, int flags),                \
      (fd, buf, len, room, flags), "GLIBC_2.4")                                                    \
    X(ssize_t, __recvfrom_chk, (int fd, void *buf, size_t len, size_t room, int flags,             \
      struct sockaddr *peer, socklen_t *peer_len), (fd, buf, len, room, flags, peer, peer_len),    \
      "GLIBC_2.4")

// Bytes to a socket, at most `len`.
#define HOOKS_SEND(X)                                                                              \
    X(ssize_t, send, (int fd, const void *buf, size_t len, int flags), (fd, buf, len, flags),      \
      "GLIBC_2.2.5")                                                                               \
    X(ssize_t, sendto, (int fd, const void *buf, size_t len, int flags,                            \
      const struct sockaddr *peer, socklen_t peer_len), (fd, buf, len, flags, peer, peer_len),     \
      "GLIBC_2.2.5")

#define HOOKS_MESSAGE(X)                                                                           \
    X(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags),         \
      "GLIBC_2.2.5")                                                                               \
    X(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags),   \
      "GLIBC_2.2.5")

#define HOOKS_SOCKET(X)                                                                            \
    X(int, accept, (int fd, struct sockaddr *peer, socklen_t *peer_len), (fd, peer, peer_len),     \
      "GLIBC_2.2.5")                                                                               \
    X(int, accept4, (int fd, struct sockaddr *peer, socklen_t *peer_len, int flags),               \
      (fd, peer, peer_len, flags), "GLIBC_2.10")                                                   \
    X(int, connect, (int fd, const struct sockaddr *peer, socklen_t peer_len),                     \
      (fd, peer, peer_len), "GLIBC_2.2.5")                                                         \
    X(int, recvmmsg, (int fd, struct mmsghdr *messages, unsigned count, int flags,                 \
      struct timespec *timeout), (fd, messages, count, flags, timeout), "GLIBC_2.12")              \
    X(int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned count, int flags),                \
      (fd, messages, count, flags), "GLIBC_2.14")

// Names from the network; the library itself may compute.
#define HOOKS_RESOLVER(X)                                                                          \
    X(int, getaddrinfo, (const char *node, const char *service, const struct addrinfo *hints,      \
      struct addrinfo **found), (node, service, hints, found), "GLIBC_2.2.5")                      \
    X(int, getnameinfo, (const struct sockaddr *address, socklen_t len, char *host,                \
      socklen_t host_len, char *service, socklen_t service_len, int flags),                        \
      (address, len, host, host_len, service, service_len, flags), "GLIBC_2.2.5")                  \
    X(struct hostent *, gethostbyname, (const char *name), (name), "GLIBC_2.2.5")                  \
    X(struct hostent *, gethostbyname2, (const char *name, int family), (name, family),            \
      "GLIBC_2.2.5")                                                                               \
    X(struct hostent *, gethostbyaddr, (const void *address, socklen_t len, int family),           \
      (address, len, family), "GLIBC_2.2.5")                                                       \
    X(int, gethostbyname_r, (const char *name, struct hostent *entry, char *buf, size_t len,       \
      struct hostent **found, int *error), (name, entry, buf, len, found, error), "GLIBC_2.2.5")   \
    X(int, gethostbyname2_r, (const char *name, int family, struct hostent *entry, char *buf,      \
      size_t len, struct hostent **found, int *error),                                             \
      (name, family, entry, buf, len, found, error), "GLIBC_2.2.5")                                \
    X(int, gethostbyaddr_r, (const void *address, socklen_t address_len, int family,               \
      struct hostent *entry, char *buf, size_t len, struct hostent **found, int *error),           \
      (address, address_len, family, entry, buf, len, found, error), "GLIBC_2.2.5")

// Many descriptors at once, with or without a signal mask.
#define HOOKS_POLL(X)                                                                              \
    X(int, poll, (struct pollfd *fds, nfds_t count, int timeout_ms), (fds, count, timeout_ms),     \
      "GLIBC_2.2.5")                                                                               \
    X(int, __poll_chk, (struct pollfd *fds, nfds_t count, int timeout_ms, size_t room),            \
      (fds, count, timeout_ms, room), "GLIBC_2.16")                                                \
    X(int, ppoll, (struct pollfd *fds, nfds_t count, const struct timespec *timeout,               \
      const sigset_t *mask), (fds, count, timeout, mask), "GLIBC_2.4")                             \
    X(int, __ppoll_chk, (struct pollfd *fds, nfds_t count, const struct timespec *timeout,         \
      const sigset_t *mask, size_t room), (fds, count, timeout, mask, room), "GLIBC_2.16")         \
    X(int, select, (int end, fd_set *readable, fd_set *writable, fd_set *exceptional,              \
      struct timeval *timeout), (end, readable, writable, exceptional, timeout), "GLIBC_2.2.5")    \
    X(int, pselect, (int end, fd_set *readable, fd_set *writable, fd_set *exceptional,             \
      const struct timespec *timeout, const sigset_t *mask),                                       \
      (end, readable, writable, exceptional, timeout, mask), "GLIBC_2.2.5")                        \
    X(int, epoll_wait, (int fd, struct epoll_event *events, int count, int timeout_ms),            \
      (fd, events, count, timeout_ms), "GLIBC_2.3.2")                                              \
    X(int, epoll_pwait, (int fd, struct epoll_event *events, int count, int timeout_ms,            \
      const sigset_t *mask), (fd, events, count, timeout_ms, mask), "GLIBC_2.6")                   \
    X(int, epoll_pwait2, (int fd, struct epoll_event *events, int count,                           \
      const struct timespec *timeout, const sigset_t *mask), (fd, events, count, timeout, mask),   \
      "GLIBC_2.35")

#define HOOKS_SLEEP(X)                                                                             \
    X(int, nanosleep, (const struct timespec *span, struct timespec *left), (span, left),          \
      "GLIBC_2.2.5")                                                                               \
    X(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *span,              \
      struct timespec *left), (clock, flags, span, left), "GLIBC_2.17")                            \
    X(unsigned, sleep, (unsigned seconds), (seconds), "GLIBC_2.2.5")                               \
    X(int, usleep, (useconds_t us), (us), "GLIBC_2.2.5")                                           \
    X(int, thrd_sleep, (const struct timespec *span, struct timespec *left), (span, left),         \
      "GLIBC_2.28")

// On something at the address `lock`, measured always.
#define HOOKS_LOCK(X)                                                                              \
    X(int, sem_wait, (sem_t *lock), (lock), "GLIBC_2.2.5")                                         \
    X(int, sem_timedwait, (sem_t *lock, const struct timespec *until), (lock, until),              \
      "GLIBC_2.2.5")                                                                               \
    X(int, sem_clockwait, (sem_t *lock, clockid_t clock, const struct timespec *until),            \
      (lock, clock, until), "GLIBC_2.30")                                                          \
    X(int, pthread_cond_wait, (pthread_cond_t *lock, pthread_mutex_t *mutex), (lock, mutex),       \
      "GLIBC_2.3.2")                                                                               \
    X(int, pthread_cond_timedwait, (pthread_cond_t *lock, pthread_mutex_t *mutex,                  \
      const struct timespec *until), (lock, mutex, until), "GLIBC_2.3.2")                          \
    X(int, pthread_cond_clockwait, (pthread_cond_t *lock, pthread_mutex_t *mutex,                  \
      clockid_t clock, const struct timespec *until), (lock, mutex, clock, until), "GLIBC_2.30")   \
    X(int, pthread_mutex_timedlock, (pthread_mutex_t *lock, const struct timespec *until),         \
      (lock, until), "GLIBC_2.2.5")                                                                \
    X(int, pthread_mutex_clocklock, (pthread_mutex_t *lock, clockid_t clock,                       \
      const struct timespec *until), (lock, clock, until), "GLIBC_2.30")                           \
    X(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *lock, const struct timespec *until),     \
      (lock, until), "GLIBC_2.2.5")                                                                \
    X(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *lock, const struct timespec *until),     \
      (lock, until), "GLIBC_2.2.5")                                                                \
    X(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t *lock, clockid_t clock,                   \
      const struct timespec *until), (lock, clock, until), "GLIBC_2.30")                           \
    X(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t *lock, clockid_t clock,                   \
      const struct timespec *until), (lock, clock, until), "GLIBC_2.30")                           \
    X(int, pthread_barrier_wait, (pthread_barrier_t *lock), (lock), "GLIBC_2.2.5")                 \
    X(int, cnd_wait, (cnd_t *lock, mtx_t *mutex), (lock, mutex), "GLIBC_2.28")                     \
    X(int, cnd_timedwait, (cnd_t *lock, mtx_t *mutex, const struct timespec *until),               \
      (lock, mutex, until), "GLIBC_2.28")                                                          \
    X(int, mtx_timedlock, (mtx_t *lock, const struct timespec *until), (lock, until),              \
      "GLIBC_2.28")

// Locks that are mostly free: only a wait that does happen is worth a clock.
#define HOOKS_MUTEX(X)                                                                             \
    X(int, pthread_mutex_lock, (pthread_mutex_t *lock), (lock), "GLIBC_2.2.5")                     \
    X(int, pthread_rwlock_rdlock, (pthread_rwlock_t *lock), (lock), "GLIBC_2.2.5")                 \
    X(int, pthread_rwlock_wrlock, (pthread_rwlock_t *lock), (lock), "GLIBC_2.2.5")                 \
    X(int, mtx_lock, (mtx_t *lock), (lock), "GLIBC_2.28")

// A lock without an address in this process, or the end of a thread.
#define HOOKS_OTHER_LOCK(X)                                                                        \
    X(int, pthread_join, (pthread_t thread, void **value), (thread, value), "GLIBC_2.2.5")         \
    X(int, pthread_timedjoin_np, (pthread_t thread, void **value, const struct timespec *until),   \
      (thread, value, until), "GLIBC_2.3.3")                                                       \
    X(int, pthread_clockjoin_np, (pthread_t thread, void **value, clockid_t clock,                 \
      const struct timespec *until), (thread, value, clock, until), "GLIBC_2.31")                  \
    X(int, thrd_join, (thrd_t thread, int *value), (thread, value), "GLIBC_2.28")                  \
    X(int, flock, (int fd, int operation), (fd, operation), "GLIBC_2.2.5")                         \
    X(int, lockf, (int fd, int command, off_t len), (fd, command, len), "GLIBC_2.2.5")             \
    X(int, lockf64, (int fd, int command, off64_t len), (fd, command, len), "GLIBC_2.2.5")         \
    X(int, semop, (int id, struct sembuf *operations, size_t count), (id, operations, count),      \
      "GLIBC_2.2.5")                                                                               \
    X(int, semtimedop, (int id, struct sembuf *operations, size_t count,                           \
      const struct timespec *timeout), (id, operations, count, timeout), "GLIBC_2.3.3")

#define HOOKS_QUEUE(X)                                                                             \
    X(ssize_t, msgrcv, (int id, void *message, size_t len, long type, int flags),                  \
      (id, message, len, type, flags), "GLIBC_2.2.5")                                              \
    X(int, msgsnd, (int id, const void *message, size_t len, int flags),                           \
      (id, message, len, flags), "GLIBC_2.2.5")                                                    \
    X(ssize_t, mq_receive, (mqd_t queue, char *message, size_t len, unsigned *priority),           \
      (queue, message, len, priority), "GLIBC_2.3.4")                                              \
    X(ssize_t, mq_timedreceive, (mqd_t queue, char *message, size_t len, unsigned *priority,       \
      const struct timespec *until), (queue, message, len, priority, until), "GLIBC_2.3.4")        \
    X(int, mq_send, (mqd_t queue, const char *message, size_t len, unsigned priority),             \
      (queue, message, len, priority), "GLIBC_2.3.4")                                              \
    X(int, mq_timedsend, (mqd_t queue, const char *message, size_t len, unsigned priority,         \
      const struct timespec *until), (queue, message, len, priority, until), "GLIBC_2.3.4")        \
    X(int, tcdrain, (int fd), (fd), "GLIBC_2.2.5")

#define HOOKS_CHILD(X)                                                                             \
    X(pid_t, wait, (int *status), (status), "GLIBC_2.2.5")                                         \
    X(pid_t, wait3, (int *status, int options, struct rusage *usage), (status, options, usage),    \
      "GLIBC_2.2.5")                                                                               \
    X(pid_t, wait4, (pid_t pid, int *status, int options, struct rusage *usage),                   \
      (pid, status, options, usage), "GLIBC_2.2.5")                                                \
    X(pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options),               \
      "GLIBC_2.2.5")                                                                               \
    X(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options),                         \
      (type, id, info, options), "GLIBC_2.2.5")                                                    \
    X(int, pclose, (FILE *stream), (stream), "GLIBC_2.2.5")

// Start a process themselves; it takes over the signal mask.
#define HOOKS_SPAWN(X)                                                                             \
    X(int, system, (const char *command), (command), "GLIBC_2.2.5")                                \
    X(FILE *, popen, (const char *command, const char *mode), (command, mode), "GLIBC_2.2.5")

// Starts a program with an environment of its own.
#define HOOKS_POSIX_SPAWN(X)                                                                       \
    X(int, posix_spawn, (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,  \
      const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]),    \
      (pid, path, actions, attributes, arguments, environment), "GLIBC_2.15")                      \
    X(int, posix_spawnp, (pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions, \
      const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]),    \
      (pid, file, actions, attributes, arguments, environment), "GLIBC_2.15")

// The kernel may work long for these, and the rest is the disk's.
#define HOOKS_DISK(X)                                                                              \
    X(int, fsync, (int fd), (fd), "GLIBC_2.2.5")                                                   \
    X(int, fdatasync, (int fd), (fd), "GLIBC_2.2.5")                                               \
    X(int, syncfs, (int fd), (fd), "GLIBC_2.14")                                                   \
    X(int, sync_file_range, (int fd, off64_t from, off64_t len, unsigned flags),                   \
      (fd, from, len, flags), "GLIBC_2.6")                                                         \
    X(int, msync, (void *address, size_t len, int flags), (address, len, flags), "GLIBC_2.2.5")    \
    X(ssize_t, copy_file_range, (int in, off64_t *in_at, int out, off64_t *out_at, size_t len,     \
      unsigned flags), (in, in_at, out, out_at, len, flags), "GLIBC_2.27")                         \
    X(int, unlink, (const char *path), (path), "GLIBC_2.2.5")                                      \
    X(int, unlinkat, (int directory, const char *path, int flags), (directory, path, flags),       \
      "GLIBC_2.4")                                                                                 \
    X(int, rename, (const char *from, const char *to), (from, to), "GLIBC_2.2.5")                  \
    X(int, renameat, (int from_directory, const char *from, int to_directory, const char *to),     \
      (from_directory, from, to_directory, to), "GLIBC_2.4")                                       \
    X(int, renameat2, (int from_directory, const char *from, int to_directory, const char *to,     \
      unsigned flags), (from_directory, from, to_directory, to, flags), "GLIBC_2.28")

// Give a new descriptor, which tells what was waited for.
#define HOOKS_OPEN(X)                                                                              \
    X(int, creat, (const char *path, mode_t mode), (path, mode), "GLIBC_2.2.5")                    \
    X(int, creat64, (const char *path, mode_t mode), (path, mode), "GLIBC_2.2.5")                  \
    X(int, __open_2, (const char *path, int flags), (path, flags), "GLIBC_2.7")                    \
    X(int, __open64_2, (const char *path, int flags), (path, flags), "GLIBC_2.7")                  \
    X(int, __openat_2, (int directory, const char *path, int flags), (directory, path, flags),     \
      "GLIBC_2.7")                                                                                 \
    X(int, __openat64_2, (int directory, const char *path, int flags), (directory, path, flags),   \
      "GLIBC_2.7")

// From descriptor `in` to descriptor `out`.
#define HOOKS_BETWEEN(X)                                                                           \
    X(ssize_t, sendfile, (int out, int in, off_t *at, size_t len), (out, in, at, len),             \
      "GLIBC_2.2.5")                                                                               \
    X(ssize_t, sendfile64, (int out, int in, off64_t *at, size_t len), (out, in, at, len),         \
      "GLIBC_2.3")                                                                                 \
    X(ssize_t, splice, (int in, off64_t *in_at, int out, off64_t *out_at, size_t len,              \
      unsigned flags), (in, in_at, out, out_at, len, flags), "GLIBC_2.5")                          \
    X(ssize_t, tee, (int in, int out, size_t len, unsigned flags), (in, out, len, flags),          \
      "GLIBC_2.5")

// Buffered streams: only the calls that move more than a character.
#define HOOKS_STREAM(X)                                                                            \
    X(size_t, fread, (void *buf, size_t size, size_t count, FILE *stream),                         \
      (buf, size, count, stream), "GLIBC_2.2.5")                                                   \
    X(size_t, __fread_chk, (void *buf, size_t room, size_t size, size_t count, FILE *stream),      \
      (buf, room, size, count, stream), "GLIBC_2.7")                                               \
    X(size_t, fwrite, (const void *buf, size_t size, size_t count, FILE *stream),                  \
      (buf, size, count, stream), "GLIBC_2.2.5")                                                   \
    X(char *, fgets, (char *buf, int len, FILE *stream), (buf, len, stream), "GLIBC_2.2.5")        \
    X(char *, __fgets_chk, (char *buf, size_t room, int len, FILE *stream),                        \
      (buf, room, len, stream), "GLIBC_2.4")                                                       \
    X(ssize_t, getline, (char **line, size_t *room, FILE *stream), (line, room, stream),           \
      "GLIBC_2.2.5")                                                                               \
    X(ssize_t, getdelim, (char **line, size_t *room, int end, FILE *stream),                       \
      (line, room, end, stream), "GLIBC_2.2.5")                                                    \
    X(ssize_t, __getdelim, (char **line, size_t *room, int end, FILE *stream),                     \
      (line, room, end, stream), "GLIBC_2.2.5")

// Waits that need a hook of their own.
#define HOOKS_BY_HAND(X)                                                                           \
    X(int, open, (const char *path, int flags, ...), (path, flags), "GLIBC_2.2.5")                 \
    X(int, open64, (const char *path, int flags, ...), (path, flags), "GLIBC_2.2.5")               \
    X(int, openat, (int directory, const char *path, int flags, ...), (directory, path, flags),    \
      "GLIBC_2.4")                                                                                 \
    X(int, openat64, (int directory, const char *path, int flags, ...), (directory, path, flags),  \
      "GLIBC_2.4")                                                                                 \
    X(int, fcntl, (int fd, int command, ...), (fd, command), "GLIBC_2.2.5")                        \
    X(int, fcntl64, (int fd, int command, ...), (fd, command), "GLIBC_2.28")                       \
    X(int, ioctl, (int fd, unsigned long request, ...), (fd, request), "GLIBC_2.2.5")              \
    X(void, sync, (void), (), "GLIBC_2.2.5")                                                       \
    X(int, fflush, (FILE *stream), (stream), "GLIBC_2.2.5")                                        \
    X(int, fclose, (FILE *stream), (stream), "GLIBC_2.2.5")                                        \
    X(long, syscall, (long number, ...), (number), "GLIBC_2.2.5")                                  \
    X(int, pause, (void), (), "GLIBC_2.2.5")

// What shows a program its signals: ours is left out of the picture (agent/hidden_signal.h).
#define HOOKS_SIGNAL(X)                                                                            \
    X(int, sigaction, (int number, const struct sigaction *action, struct sigaction *old),         \
      (number, action, old), "GLIBC_2.2.5")                                                        \
    X(int, __sigaction, (int number, const struct sigaction *action, struct sigaction *old),       \
      (number, action, old), "GLIBC_2.2.5")                                                        \
    X(sighandler_t, signal, (int number, sighandler_t handler), (number, handler), "GLIBC_2.2.5")  \
    X(sighandler_t, bsd_signal, (int number, sighandler_t handler), (number, handler),             \
      "GLIBC_2.2.5")                                                                               \
    X(sighandler_t, ssignal, (int number, sighandler_t handler), (number, handler),                \
      "GLIBC_2.2.5")                                                                               \
    X(sighandler_t, sysv_signal, (int number, sighandler_t handler), (number, handler),            \
      "GLIBC_2.2.5")                                                                               \
    X(sighandler_t, __sysv_signal, (int number, sighandler_t handler), (number, handler),          \
      "GLIBC_2.2.5")                                                                               \
    X(sighandler_t, sigset, (int number, sighandler_t handler), (number, handler), "GLIBC_2.2.5")  \
    X(int, sigignore, (int number), (number), "GLIBC_2.2.5")                                       \
    X(int, sighold, (int number), (number), "GLIBC_2.2.5")                                         \
    X(int, sigrelse, (int number), (number), "GLIBC_2.2.5")                                        \
    X(int, siginterrupt, (int number, int interrupts), (number, interrupts), "GLIBC_2.2.5")        \
    X(int, sigprocmask, (int how, const sigset_t *set, sigset_t *old), (how, set, old),            \
      "GLIBC_2.2.5")                                                                               \
    X(int, pthread_sigmask, (int how, const sigset_t *set, sigset_t *old), (how, set, old),        \
      "GLIBC_2.2.5")                                                                               \
    X(int, sigsetmask, (int mask), (mask), "GLIBC_2.2.5")                                          \
    X(int, sigpending, (sigset_t *set), (set), "GLIBC_2.2.5")                                      \
    X(int, sigsuspend, (const sigset_t *mask), (mask), "GLIBC_2.2.5")                              \
    X(int, sigwait, (const sigset_t *set, int *number), (set, number), "GLIBC_2.2.5")              \
    X(int, sigwaitinfo, (const sigset_t *set, siginfo_t *info), (set, info), "GLIBC_2.2.5")        \
    X(int, sigtimedwait, (const sigset_t *set, siginfo_t *info, const struct timespec *timeout),   \
      (set, info, timeout), "GLIBC_2.2.5")                                                         \
    X(int, signalfd, (int fd, const sigset_t *set, int flags), (fd, set, flags), "GLIBC_2.7")

// Hooks of agent/lifecycle: the beginnings and ends of threads and processes.
#define HOOKS_LIFECYCLE(X)                                                                         \
    X(int, pthread_create, (pthread_t *thread, const pthread_attr_t *attributes,                   \
      void *(*start)(void *), void *argument), (thread, attributes, start, argument),              \
      "GLIBC_2.2.5")                                                                               \
    X(int, thrd_create, (thrd_t *thread, thrd_start_t start, void *argument),                      \
      (thread, start, argument), "GLIBC_2.28")                                                     \
    X(pid_t, vfork, (void), (), "GLIBC_2.2.5")                                                     \
    X(void, _exit, (int status), (status), "GLIBC_2.2.5")                                          \
    X(void, _Exit, (int status), (status), "GLIBC_2.2.5")                                          \
    X(int, execve, (const char *path, char *const arguments[], char *const environment[]),         \
      (path, arguments, environment), "GLIBC_2.2.5")                                               \
    X(int, execv, (const char *path, char *const arguments[]), (path, arguments), "GLIBC_2.2.5")   \
    X(int, execvp, (const char *file, char *const arguments[]), (file, arguments), "GLIBC_2.2.5")  \
    X(int, execvpe, (const char *file, char *const arguments[], char *const environment[]),        \
      (file, arguments, environment), "GLIBC_2.11")                                                \
    X(int, fexecve, (int fd, char *const arguments[], char *const environment[]),                  \
      (fd, arguments, environment), "GLIBC_2.2.5")                                                 \
    X(int, execveat, (int directory, const char *path, char *const arguments[],                    \
      char *const environment[], int flags), (directory, path, arguments, environment, flags),     \
      "GLIBC_2.34")                                                                                \
    X(int, execl, (const char *path, const char *argument, ...), (path, argument), "GLIBC_2.2.5")  \
    X(int, execlp, (const char *file, const char *argument, ...), (file, argument), "GLIBC_2.2.5") \
    X(int, execle, (const char *path, const char *argument, ...), (path, argument), "GLIBC_2.2.5")

// May take away what is needed to make a ring: the rights, or the way to its directory.
#define HOOKS_RIGHTS(X)                                                                            \
    X(int, setuid, (uid_t uid), (uid), "GLIBC_2.2.5")                                              \
    X(int, seteuid, (uid_t uid), (uid), "GLIBC_2.2.5")                                             \
    X(int, setreuid, (uid_t uid, uid_t effective), (uid, effective), "GLIBC_2.2.5")                \
    X(int, setresuid, (uid_t uid, uid_t effective, uid_t saved), (uid, effective, saved),          \
      "GLIBC_2.2.5")                                                                               \
    X(int, chroot, (const char *path), (path), "GLIBC_2.2.5")                                      \
    X(int, unshare, (int flags), (flags), "GLIBC_2.4")                                             \
    X(int, setns, (int fd, int type), (fd, type), "GLIBC_2.14")

// What gives a new block of the program's allocator: that of the C library, or one that takes its
// place.
#define HOOKS_ALLOCATE(X)                                                                          \
    X(void *, malloc, (size_t size), (size), "GLIBC_2.2.5")                                        \
    X(void *, calloc, (size_t count, size_t size), (count, size), "GLIBC_2.2.5")                   \
    X(void *, memalign, (size_t alignment, size_t size), (alignment, size), "GLIBC_2.2.5")         \
    X(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size), "GLIBC_2.16")     \
    X(void *, valloc, (size_t size), (size), "GLIBC_2.2.5")                                        \
    X(void *, pvalloc, (size_t size), (size), "GLIBC_2.2.5")

// The rest of it.
#define HOOKS_MEMORY(X)                                                                            \
    X(void *, realloc, (void *block, size_t size), (block, size), "GLIBC_2.2.5")                   \
    X(void *, reallocarray, (void *block, size_t count, size_t size), (block, count, size),        \
      "GLIBC_2.26")                                                                                \
    X(void, free, (void *block), (block), "GLIBC_2.2.5")                                           \
    X(void, cfree, (void *block), (block), "GLIBC_2.2.5")                                          \
    X(int, posix_memalign, (void **block, size_t alignment, size_t size),                          \
      (block, alignment, size), "GLIBC_2.2.5")

// What maps memory.
#define HOOKS_MAP(X)                                                                               \
    X(void *, mmap, (void *address, size_t len, int protection, int flags, int fd, off_t at),      \
      (address, len, protection, flags, fd, at), "GLIBC_2.2.5")                                    \
    X(void *, mmap64, (void *address, size_t len, int protection, int flags, int fd, off64_t at),  \
      (address, len, protection, flags, fd, at), "GLIBC_2.2.5")                                    \
    X(int, munmap, (void *address, size_t len), (address, len), "GLIBC_2.2.5")                     \
    X(void *, mremap, (void *address, size_t len, size_t new_len, int flags, ...),                 \
      (address, len, new_len, flags), "GLIBC_2.2.5")                                               \
    X(int, mprotect, (void *address, size_t len, int protection), (address, len, protection),      \
      "GLIBC_2.2.5")                                                                               \
    X(int, brk, (void *end), (end), "GLIBC_2.2.5")                                                 \
    X(void *, sbrk, (intptr_t bytes), (bytes), "GLIBC_2.2.5")

// What copies.
#define HOOKS_COPY(X)                                                                              \
    X(void *, memcpy, (void *to, const void *from, size_t len), (to, from, len), "GLIBC_2.14")     \
    X(void *, memmove, (void *to, const void *from, size_t len), (to, from, len), "GLIBC_2.2.5")   \
    X(void *, mempcpy, (void *to, const void *from, size_t len), (to, from, len), "GLIBC_2.2.5")   \
    X(void *, __mempcpy, (void *to, const void *from, size_t len), (to, from, len), "GLIBC_2.2.5")

// The same with the room there is, which the original checks.
#define HOOKS_CHECKED_COPY(X)                                                                      \
    X(void *, __memcpy_chk, (void *to, const void *from, size_t len, size_t room),                 \
      (to, from, len, room), "GLIBC_2.3.4")                                                        \
    X(void *, __memmove_chk, (void *to, const void *from, size_t len, size_t room),                \
      (to, from, len, room), "GLIBC_2.3.4")                                                        \
    X(void *, __mempcpy_chk, (void *to, const void *from, size_t len, size_t room),                \
      (to, from, len, room), "GLIBC_2.3.4")

#define HOOKS_TEXT_COPY(X)                                                                         \
    X(char *, strcpy, (char *to, const char *from), (to, from), "GLIBC_2.2.5")                     \
    X(char *, stpcpy, (char *to, const char *from), (to, from), "GLIBC_2.2.5")                     \
    X(char *, __stpcpy, (char *to, const char *from), (to, from), "GLIBC_2.2.5")                   \
    X(char *, strncpy, (char *to, const char *from, size_t len), (to, from, len), "GLIBC_2.2.5")   \
    X(char *, stpncpy, (char *to, const char *from, size_t len), (to, from, len), "GLIBC_2.2.5")   \
    X(char *, strcat, (char *to, const char *from), (to, from), "GLIBC_2.2.5")                     \
    X(char *, __strcpy_chk, (char *to, const char *from, size_t room), (to, from, room),           \
      "GLIBC_2.3.4")                                                                               \
    X(char *, __stpcpy_chk, (char *to, const char *from, size_t room), (to, from, room),           \
      "GLIBC_2.3.4")                                                                               \
    X(char *, __strncpy_chk, (char *to, const char *from, size_t len, size_t room),                \
      (to, from, len, room), "GLIBC_2.3.4")                                                        \
    X(char *, __stpncpy_chk, (char *to, const char *from, size_t len, size_t room),                \
      (to, from, len, room), "GLIBC_2.4")                                                          \
    X(char *, __strcat_chk, (char *to, const char *from, size_t room), (to, from, room),           \
      "GLIBC_2.3.4")

// Not hooked, but called: these must not be imported, older libraries have them elsewhere.
#define REAL_ONLY(X)                                                                               \
    X(int, pthread_mutex_trylock, (pthread_mutex_t *lock), (lock), "GLIBC_2.2.5")                  \
    X(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *lock), (lock), "GLIBC_2.2.5")              \
    X(int, pthread_rwlock_trywrlock, (pthread_rwlock_t *lock), (lock), "GLIBC_2.2.5")              \
    X(int, mtx_trylock, (mtx_t *lock), (lock), "GLIBC_2.28")                                       \
    X(size_t, malloc_usable_size, (void *block), (block), "GLIBC_2.2.5")

// clang-format on

// All that is exported under a name of the C library's.
#define HOOK_LIST(X)      \
    HOOKS_TRANSFER(X)     \
    HOOKS_VECTOR(X)       \
    HOOKS_RECEIVE(X)      \
    HOOKS_SEND(X)         \
    HOOKS_MESSAGE(X)      \
    HOOKS_SOCKET(X)       \
    HOOKS_RESOLVER(X)     \
    HOOKS_POLL(X)         \
    HOOKS_SLEEP(X)        \
    HOOKS_LOCK(X)         \
    HOOKS_MUTEX(X)        \
    HOOKS_OTHER_LOCK(X)   \
    HOOKS_QUEUE(X)        \
    HOOKS_CHILD(X)        \
    HOOKS_SPAWN(X)        \
    HOOKS_POSIX_SPAWN(X)  \
    HOOKS_DISK(X)         \
    HOOKS_OPEN(X)         \
    HOOKS_BETWEEN(X)      \
    HOOKS_STREAM(X)       \
    HOOKS_BY_HAND(X)      \
    HOOKS_SIGNAL(X)       \
    HOOKS_LIFECYCLE(X)    \
    HOOKS_RIGHTS(X)       \
    HOOKS_ALLOCATE(X)     \
    HOOKS_MEMORY(X)       \
    HOOKS_MAP(X)          \
    HOOKS_COPY(X)         \
    HOOKS_CHECKED_COPY(X) \
    HOOKS_TEXT_COPY(X)
