// SPDX-License-Identifier: Apache-2.0

// Mappings, with every way they can end.

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "map_probe.h"
#include "probe.h"

#define PAGE    4096
#define MB      (1l << 20)
#define GB      (1l << 30)
#define RW      (PROT_READ | PROT_WRITE)
#define PRIVATE (MAP_PRIVATE | MAP_ANONYMOUS)

static char *map(size_t len, int protection, int flags)
{
    errno = 0;
    char *address = mmap(NULL, len, protection, flags, -1, 0);
    show("mmap", address != MAP_FAILED && errno == 0 ? 0 : -1);
    return address;
}

static void test_anonymous(void)
{
    map_expect_begin();
    char *private = map(3 * MB, RW, PRIVATE);
    char *shared = map(2 * MB, RW, MAP_SHARED | MAP_ANONYMOUS);
    map_expect("anonymous memory", SUM_MEMORY, 5 * MB);
    memset(private, 1, 3 * MB);
    show("munmap a part", munmap(private + MB, MB));
    map_expect("a part unmapped", SUM_MEMORY, 4 * MB);
    show("munmap all and more", munmap(private, 3 * MB));
    map_expect("the rest unmapped", SUM_MEMORY, 2 * MB);
    show("munmap shared", munmap(shared, 2 * MB));
    map_expect("all unmapped", SUM_MEMORY, 0);
    show("mmap64", munmap(mmap64(NULL, 10, RW, PRIVATE, -1, 0), 10));
    map_expect("a few bytes come and go", SUM_MEMORY, 0);
}

static void test_failures(void)
{
    map_expect_begin();
    char *page = map(PAGE, RW, PRIVATE);
    show("mmap nothing", (long)mmap(NULL, 0, RW, PRIVATE, -1, 0));
    show("mmap too much", (long)mmap(NULL, 1l << 60, RW, PRIVATE, -1, 0));
    show("mmap no descriptor", (long)mmap(NULL, PAGE, RW, MAP_PRIVATE, 999, 0));
    show("munmap odd", munmap(page + 1, PAGE));
    show("munmap nothing", munmap(page, 0));
    show("munmap too much", munmap(page, -PAGE));
    show("munmap not mapped", munmap((char *)(16 * GB), PAGE));
    show("mprotect not mapped", mprotect((char *)(16 * GB), PAGE, RW));
    show("mremap not mapped", (long)mremap((char *)(16 * GB), PAGE, 2 * PAGE, MREMAP_MAYMOVE));
    show("mremap odd", (long)mremap(page + 1, PAGE, 2 * PAGE, MREMAP_MAYMOVE));
    show("mremap too much", (long)mremap(page, PAGE, 1l << 60, MREMAP_MAYMOVE));
    show("mremap to nothing", (long)mremap(page, PAGE, 0, MREMAP_MAYMOVE));
    map_expect("failures", SUM_MEMORY, PAGE);
    show("munmap", munmap(page, PAGE));
    map_expect("failures", SUM_MEMORY, 0);
}

static void test_resizing(void)
{
    map_expect_begin();
    char *place = map(64 * MB, PROT_NONE, PRIVATE | MAP_NORESERVE);
    char *memory = mmap(place, MB, RW, PRIVATE | MAP_FIXED, -1, 0);
    show("mmap there", memory == place);
    map_expect("over a reservation", SUM_MEMORY, MB);
    strcpy(memory, "kept");
    show("grow where nothing may move", (long)mremap(memory, MB, 2 * MB, 0));
    map_expect("it could not grow", SUM_MEMORY, MB);
    char *moved = mremap(memory, MB, 4 * MB, MREMAP_MAYMOVE);
    show_text("moved", moved);
    map_expect("grown", SUM_MEMORY, 4 * MB);
    char *there = mremap(moved, 4 * MB, 8 * MB, MREMAP_MAYMOVE | MREMAP_FIXED, place + 32 * MB);
    show("moved there", there == place + 32 * MB);
    show_text("moved there", there);
    map_expect("moved there", SUM_MEMORY, 8 * MB);
    show("shrunk", mremap(there, 8 * MB, MB, 0) == there);
    map_expect("shrunk", SUM_MEMORY, MB);
    show("munmap", munmap(place, 64 * MB));
    map_expect("resizing", SUM_MEMORY, 0);
}

static void test_reservations(void)
{
    map_expect_begin();
    char *huge = map(1024 * GB, PROT_NONE, PRIVATE | MAP_NORESERVE);
    char *writable = map(1024 * GB, RW, PRIVATE | MAP_NORESERVE);
    map_expect("a terabyte of addresses", SUM_MEMORY, 0);
    show("mprotect", mprotect(huge + GB, MB, RW));
    map_expect("made writable", SUM_MEMORY, MB);
    show("mprotect again", mprotect(huge + GB, 2 * MB, RW));
    map_expect("made writable", SUM_MEMORY, 2 * MB);
    show("mprotect only read", mprotect(huge + GB, 2 * MB, PROT_READ));
    map_expect("only read", SUM_MEMORY, 2 * MB);
    show("mprotect none", mprotect(huge + GB, MB, PROT_NONE));
    map_expect("given back", SUM_MEMORY, MB);
    show("munmap", munmap(huge, 1024 * GB));
    show("munmap", munmap(writable, 1024 * GB));
    map_expect("reservations", SUM_MEMORY, 0);
}

static void test_files(void)
{
    map_expect_begin();
    char path[] = "/tmp/scalene-map-XXXXXX";
    int fd = mkstemp(path);
    unlink(path);
    show("sparse", ftruncate(fd, 10 * GB));
    void *shared = mmap(NULL, 10 * GB, RW, MAP_SHARED, fd, 0);
    void *private = mmap(NULL, 10 * GB, PROT_READ, MAP_PRIVATE, fd, 0);
    show("mapped", shared != MAP_FAILED && private != MAP_FAILED);
    map_expect("files are no memory", SUM_MEMORY, 0);
    map_expect("private file", SUM_FILE, 10 * GB);
    map_expect("shared file", SUM_SHARED, 10 * GB);
    show("munmap", munmap(shared, 10 * GB));
    show("munmap", munmap(private, 10 * GB));
    map_expect("private file", SUM_FILE, 0);
    map_expect("shared file", SUM_SHARED, 0);
    close(fd);
}

static void test_heap(void)
{
    map_expect_begin();
    char *end = sbrk(0);
    show("sbrk", sbrk(PAGE) == end);
    map_expect("sbrk", SUM_MEMORY, PAGE);
    show("brk", brk(end + 3 * PAGE));
    map_expect("brk", SUM_MEMORY, 3 * PAGE);
    show("brk back", brk(end));
    map_expect("brk back", SUM_MEMORY, 0);
    show("brk to nowhere", brk((void *)1)); // says that it went well, and does nothing
    map_expect("brk to nowhere", SUM_MEMORY, 0);
}

static volatile int handled;

static void map_in_handler(int number)
{
    (void)number;
    char *page = mmap(NULL, 2 * PAGE, RW, PRIVATE, -1, 0);
    page[0] = 1;
    munmap(page, 2 * PAGE);
    handled++;
}

static void test_handler(void)
{
    struct sigaction action = {.sa_handler = map_in_handler};
    struct itimerval often = {{0, 200}, {0, 200}};
    sigaction(SIGALRM, &action, NULL);
    map_expect_begin();
    setitimer(ITIMER_REAL, &often, NULL);
    while (handled < 500) {
        char *pages[8];
        for (int i = 0; i < 8; i++) {
            pages[i] = mmap(NULL, PAGE, RW, PRIVATE, -1, 0);
        }
        for (int i = 0; i < 8; i++) {
            munmap(pages[i * 5 % 8], PAGE);
        }
    }
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    map_expect("mapping in a signal handler", SUM_MEMORY, 0);
    show("handled", handled >= 500);
}

static void *map_often(void *unused)
{
    char *pages[16] = {0};
    for (int i = 0; i < 20000; i++) {
        char **page = &pages[i * 7 % 16];
        if (*page) {
            munmap(*page, PAGE);
        }
        *page = mmap(NULL, PAGE, RW, PRIVATE, -1, 0);
    }
    for (int i = 0; i < 16; i++) {
        munmap(pages[i], PAGE);
    }
    return unused;
}

static void test_threads(void)
{
    pthread_t threads[8];
    // Their stacks are kept by the C library, as is what it maps for itself.
    map_expect_begin();
    for (int i = 0; i < 8; i++) {
        pthread_create(&threads[i], NULL, map_often, NULL);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
    }
    map_expect("mapping in threads", SUM_MEMORY, 0);
    map_expect("mapping in threads", SUM_UNTRACKED, 0);
    show("threads", 0);
}

static void test_child(void)
{
    char *memory = map(MB, RW, PRIVATE);
    map_expect_begin();
    pid_t child = fork();
    if (child == 0) {
        munmap(memory, MB);
        map_expect("the child's own", SUM_MEMORY, -MB);
        fflush(stdout);
        _exit(7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    show("child", WEXITSTATUS(status));
    map_expect("the parent's own", SUM_MEMORY, 0);
    munmap(memory, MB);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 4096);
    test_anonymous();
    test_failures();
    test_resizing();
    test_reservations();
    test_files();
    test_heap();
    test_handler();
    test_threads();
    test_child();
    return 0;
}
