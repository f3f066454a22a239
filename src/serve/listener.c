// SPDX-License-Identifier: Apache-2.0
#include "serve/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 128

static int listen_at(const struct sockaddr *address, socklen_t len)
{
    int one = 1;
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return -1;
    }
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (address->sa_family == AF_INET6) {
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
    }
    if (bind(fd, address, len) != 0 || listen(fd, BACKLOG) != 0) {
        int problem = errno;
        close(fd);
        errno = problem;
        return -1;
    }
    return fd;
}

static int listen_4(unsigned port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    return listen_at((const struct sockaddr *)&address, sizeof address);
}

static int listen_6(unsigned port)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6,
                                   .sin6_port = htons((uint16_t)port),
                                   .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    return listen_at((const struct sockaddr *)&address, sizeof address);
}

static bool is_taken(int problem)
{
    return problem == EADDRINUSE || problem == EACCES;
}

// 0, or an errno. A machine without one of the two families has the other.
static int open_both(struct listener *listener, unsigned port)
{
    int problem = 0;
    listener->port = port;
    listener->sockets[0] = listen_4(port);
    problem = listener->sockets[0] < 0 ? errno : 0;
    if (is_taken(problem)) {
        return problem;
    }
    listener->sockets[1] = listen_6(port);
    int problem_6 = listener->sockets[1] < 0 ? errno : 0;
    if (is_taken(problem_6) && listener->sockets[0] >= 0) {
        close(listener->sockets[0]); // a browser that tries ::1 first would reach somebody else
    }
    if (is_taken(problem_6)) {
        return problem_6;
    }
    return listener->sockets[0] >= 0 || listener->sockets[1] >= 0 ? 0 : problem;
}

bool listener_open(struct listener *listener, unsigned port, struct error *err)
{
    unsigned first = port ? port : LISTENER_PORT;
    unsigned tries = port ? 1 : LISTENER_PORTS_TRIED;
    int problem = 0;
    for (unsigned i = 0; i < tries; i++) {
        problem = open_both(listener, first + i);
        if (problem == 0) {
            return true;
        }
        if (!is_taken(problem)) {
            return error_set(err, "cannot serve the page on the loopback address: %s",
                             strerror(problem));
        }
    }
    return port ? error_set(err,
                            "cannot serve the page on port %u: %s; choose another with --port, "
                            "or leave it out",
                            port, strerror(problem))
                : error_set(err,
                            "cannot serve the page: none of the ports %u to %u is free; "
                            "choose one with --port",
                            first, first + tries - 1);
}
