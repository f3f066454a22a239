// SPDX-License-Identifier: Apache-2.0

// Reads, writes and sockets, with every way they can end.

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "probe.h"

static char buf[1 << 17];

static void write_five(void *fd)
{
    if (write(*(int *)fd, "hello", 5) != 5) {
        abort();
    }
}

static void read_all(void *fd)
{
    while (read(*(int *)fd, buf, sizeof buf) == sizeof buf) {
    }
}

static void test_pipe(void)
{
    int ends[2];
    show("pipe", pipe(ends));
    later(30, write_five, &ends[1]);
    expect_begin();
    show("read", read(ends[0], buf, 100));
    expect_end("read", "pipe");
    later_join();
    interrupt_after(30);
    expect_begin();
    show("read interrupted", read(ends[0], buf, 100));
    expect_end("read interrupted", "pipe");
    later_join();
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    show("read nonblocking", read(ends[0], buf, 100));
    show("read into nowhere", read(ends[0], NULL, 0));
    show("read not open", read(999, buf, 1));
    show("write from nowhere", write(ends[1], (void *)8, 4));
    fcntl(ends[0], F_SETFL, 0);
    later(30, read_all, &ends[0]);
    expect_begin();
    show("write more than fits", write(ends[1], buf, sizeof buf) == sizeof buf);
    expect_end("write more than fits", "pipe");
    close(ends[1]);
    later_join();
    show("read at the end", read(ends[0], buf, 100));
    close(ends[0]);
}

static void test_file(void)
{
    char name[] = "/tmp/hook-io-XXXXXX";
    int fd = mkstemp(name);
    struct iovec pieces[2] = {{(char *)"abc", 3}, {(char *)"defg", 4}};
    struct iovec targets[2] = {{buf, 2}, {buf + 2, 100}};
    show("writev", writev(fd, pieces, 2));
    show("pwrite", pwrite(fd, "xyz", 3, 100));
    show("pwrite64", pwrite64(fd, "xyz", 3, 110));
    show("pwritev", pwritev(fd, pieces, 2, 200));
    show("pwritev64", pwritev64(fd, pieces, 2, 300));
    show("pwritev2", pwritev2(fd, pieces, 2, 400, RWF_DSYNC));
    show("pread", pread(fd, buf, 100, 99));
    show("pread64", pread64(fd, buf, 3, 110));
    show_text("pread64", buf);
    show("preadv", preadv(fd, targets, 2, 200));
    show("preadv64", preadv64(fd, targets, 2, 306));
    show("preadv2", preadv2(fd, targets, 2, 400, 0));
    show("preadv2 bad flags", preadv2(fd, targets, 2, 400, 0x4000));
    show("readv at end", readv(fd, targets, lseek(fd, 0, SEEK_END) > 0 ? 2 : 0));
    show("readv too many", readv(fd, targets, 100000));
    show("pread negative", pread(fd, buf, 3, -1));
    close(fd);
    unlink(name);
}

// Only a thread that is kept off its core seems to wait: not every time.
static void test_large_read(void)
{
    int fd = open("/dev/urandom", O_RDONLY);
    char *large = malloc(1 << 20);
    bool is_computing = false;
    for (int i = 0; i < 500 && !is_computing; i++) {
        expect_begin();
        if (read(fd, large, 1 << 20) != 1 << 20) {
            abort();
        }
        is_computing = expect_nothing();
    }
    show("computing is not waiting", is_computing);
    free(large);
    close(fd);
}

static void send_descriptor(int by, int fd)
{
    char space[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec piece = {(char *)"!", 1};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    struct cmsghdr *part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(part), &fd, sizeof fd);
    show("sendmsg", sendmsg(by, &message, 0));
}

static void receive_descriptor(int by)
{
    char space[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec piece = {buf, 10};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    show("recvmsg", recvmsg(by, &message, 0));
    int fd;
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
    show("passed descriptor writes", write(fd, "", 0));
    close(fd);
}

static void test_socket(void)
{
    int ends[2];
    show("socketpair", socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
    later(30, write_five, &ends[1]);
    expect_begin();
    show("recv", recv(ends[0], buf, 100, 0));
    expect_end("recv", "network");
    later_join();
    interrupt_after(30);
    show("recv interrupted", recv(ends[0], buf, 100, 0));
    later_join();
    show("recv not waiting", recv(ends[0], buf, 100, MSG_DONTWAIT));
    show("send", send(ends[0], "four", 4, 0));
    show("recvfrom", recvfrom(ends[1], buf, 100, 0, NULL, NULL));
    show("sendto", sendto(ends[0], "six...", 6, 0, NULL, 0));
    show("read socket", read(ends[1], buf, 3));
    send_descriptor(ends[0], ends[1]);
    receive_descriptor(ends[1]);
    struct iovec piece = {buf, 10};
    struct mmsghdr messages[2] = {{.msg_hdr = {.msg_iov = &piece, .msg_iovlen = 1}},
                                  {.msg_hdr = {.msg_iov = &piece, .msg_iovlen = 1}}};
    struct timespec timeout = {1000, 0}; // looked at between two messages
    show("sendmmsg", sendmmsg(ends[0], messages, 2, 0));
    show("recvmmsg", recvmmsg(ends[1], messages, 2, MSG_WAITFORONE, &timeout));
    close(ends[1]);
    show("send to nobody", send(ends[0], "four", 4, MSG_NOSIGNAL));
    show("recv not a socket", recv(0, buf, 1, 0));
    close(ends[0]);
}

static struct sockaddr_in server_address;

static void connect_and_leave(void *unused)
{
    (void)unused;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&server_address, sizeof server_address) != 0) {
        abort();
    }
    close(fd);
}

static void test_server(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    socklen_t len = sizeof server_address;
    server_address.sin_family = AF_INET;
    server_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    show("bind", bind(fd, (struct sockaddr *)&server_address, len));
    getsockname(fd, (struct sockaddr *)&server_address, &len);
    show("connect refused", connect(fd + 1, (struct sockaddr *)&server_address, len));
    show("listen", listen(fd, 5));
    later(30, connect_and_leave, NULL);
    expect_begin();
    int peer = accept(fd, NULL, NULL);
    expect_end("accept", "network");
    show("accept", peer >= 0);
    later_join();
    show("recv from the gone", recv(peer, buf, 1, 0));
    close(peer);
    later(0, connect_and_leave, NULL);
    peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
    show("accept4", fcntl(peer, F_GETFD));
    later_join();
    close(peer);
    interrupt_after(30);
    show("accept interrupted", accept(fd, NULL, NULL));
    later_join();
    close(fd);
}

static void test_between(void)
{
    char name[] = "/tmp/hook-io-XXXXXX";
    int file = mkstemp(name);
    int ends[2];
    int more[2];
    off_t at = 2;
    show("pipe", pipe(ends) + pipe(more));
    show("write", write(file, "0123456789", 10));
    show("sendfile", sendfile(ends[1], file, &at, 5));
    show("sendfile at", at);
    show("tee", tee(ends[0], more[1], 100, 0));
    show("splice", splice(ends[0], NULL, file, &(off64_t){20}, 3, 0));
    show("splice nonblocking", splice(more[0], NULL, file, NULL, 100, SPLICE_F_NONBLOCK));
    show("splice none", splice(more[0], NULL, file, NULL, 100, SPLICE_F_NONBLOCK));
    show("copy_file_range", copy_file_range(file, &(off64_t){0}, file, &(off64_t){50}, 7, 0));
    close(file);
    unlink(name);
}

static void test_names(void)
{
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    show("getaddrinfo", getaddrinfo("127.0.0.1", "80", &hints, &found));
    char host[100];
    show("getnameinfo", getnameinfo(found->ai_addr, found->ai_addrlen, host, sizeof host, NULL, 0,
                                    NI_NUMERICHOST));
    show_text("getnameinfo", host);
    freeaddrinfo(found);
    show("getaddrinfo bad", getaddrinfo("127.0.0.x", "80", &hints, &found) == EAI_NONAME);
    struct hostent *entry = gethostbyname("10.1.2.3");
    show("gethostbyname", entry ? entry->h_length : -1);
    struct hostent space;
    int error;
    show("gethostbyname_r", gethostbyname_r("10.1.2.3", &space, buf, sizeof buf, &entry, &error));
}

int main(void)
{
    test_pipe();
    test_file();
    test_large_read();
    test_socket();
    test_server();
    test_between();
    test_names();
    return 0;
}
