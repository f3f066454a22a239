// SPDX-License-Identifier: Apache-2.0

// Hooks of reads and writes: on any descriptor, on sockets, between two descriptors.

#include "agent/descriptor.h"
#include "agent/hook.h"
#include "agent/probe.h"

#define PIECES_MAX 1024 // UIO_MAXIOV

#define X(type, name, parameters, arguments, version)                         \
    HOOK_DEFINE(type, name, parameters, arguments, len >= HOOK_LONG_TRANSFER, \
                wait_end_fd(&scope, fd))

HOOKS_TRANSFER(X)

#undef X

// The kernel refuses a longer list without looking at it, and a list that is not there with EFAULT.
static bool is_long_vector(const struct iovec *pieces, size_t count)
{
    struct probe probe = {0};
    size_t sum = 0;
    if (count > PIECES_MAX ||
        !probe_is_readable(&probe, (uintptr_t)pieces, count * sizeof *pieces)) {
        return false;
    }
    for (size_t i = 0; i < count && sum < HOOK_LONG_TRANSFER; i++) {
        sum += pieces[i].iov_len;
    }
    return sum >= HOOK_LONG_TRANSFER;
}

static bool is_long_message(const struct msghdr *message)
{
    struct probe probe = {0};
    return probe_is_readable(&probe, (uintptr_t)message, sizeof *message) &&
           is_long_vector(message->msg_iov, message->msg_iovlen);
}

#define X(type, name, parameters, arguments, version)                                     \
    HOOK_DEFINE(type, name, parameters, arguments, is_long_vector(pieces, (size_t)count), \
                wait_end_fd(&scope, fd))

HOOKS_VECTOR(X)

#undef X

// How much room there is says nothing of what comes: a socket holds little at a time, unless all of
// it is waited for. Servers offer much, and receive a request.
#define X(type, name, parameters, arguments, version)                    \
    HOOK_DEFINE(type, name, parameters, arguments,                       \
                (flags & MSG_WAITALL) != 0 && len >= HOOK_LONG_TRANSFER, \
                wait_end(&scope, WAIT_NETWORK))

HOOKS_RECEIVE(X)

#undef X

#define X(type, name, parameters, arguments, version)                         \
    HOOK_DEFINE(type, name, parameters, arguments, len >= HOOK_LONG_TRANSFER, \
                wait_end(&scope, WAIT_NETWORK))

HOOKS_SEND(X)

#undef X

#define X(type, name, parameters, arguments, version)                        \
    HOOK_DEFINE(type, name, parameters, arguments, is_long_message(message), \
                wait_end(&scope, WAIT_NETWORK))

HOOKS_MESSAGE(X)

#undef X

#define X(type, name, parameters, arguments, version) \
    HOOK_DEFINE(type, name, parameters, arguments, false, wait_end(&scope, WAIT_NETWORK))

HOOKS_SOCKET(X)

#undef X

#define X(type, name, parameters, arguments, version) \
    HOOK_DEFINE(type, name, parameters, arguments, true, wait_end(&scope, WAIT_NETWORK))

HOOKS_RESOLVER(X)

#undef X

#define X(type, name, parameters, arguments, version) \
    HOOK_DEFINE(type, name, parameters, arguments, false, wait_end(&scope, WAIT_PIPE))

HOOKS_QUEUE(X)

#undef X

struct descriptor_pair {
    int in;
    int out;
};

// Files are the least likely to have been waited for, the network the most.
static enum wait_kind pair_kind(const void *argument)
{
    const struct descriptor_pair *pair = argument;
    enum wait_kind in = descriptor_kind(pair->in);
    enum wait_kind out = descriptor_kind(pair->out);
    if (in == WAIT_NETWORK || out == WAIT_NETWORK) {
        return WAIT_NETWORK;
    }
    return in == WAIT_PIPE ? in : out;
}

#define X(type, name, parameters, arguments, version)    \
    HOOK_DEFINE(type, name, parameters, arguments, true, \
                wait_end_lazily(&scope, pair_kind, (&(struct descriptor_pair){in, out})))

HOOKS_BETWEEN(X)

#undef X
