// SPDX-License-Identifier: Apache-2.0

// usage: torture THREADS ROUNDS, or loaded as a library: torture(threads, rounds, &allocated).
// Threads allocate in every way, hand blocks to each other, resize and free what others allocated,
// and check every byte of what they get. Forked children do the same while the others go on.
// Alignments stay below 256, from where on one allocator of the tested ones (mimalloc 2.0) errs.
// Prints what went wrong; says how many bytes were allocated, growth of blocks included, as the
// heap counts them.

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLOTS       4096
#define HEADER_SIZE 8 // glibc's, of a block in the heap

struct piece {
    size_t size;
    unsigned char fill;
    unsigned char bytes[];
};

static struct piece *_Atomic slots[SLOTS];
static _Atomic unsigned long bad;
static _Atomic unsigned long allocated;
static int rounds_of_thread;

int torture(int threads, int rounds, unsigned long *bytes);

static void complain(const char *what)
{
    atomic_fetch_add(&bad, 1);
    fprintf(stderr, "torture: %s\n", what);
}

static size_t heap_size(struct piece *piece)
{
    return malloc_usable_size(piece) + HEADER_SIZE;
}

static void fill(struct piece *piece, size_t size, unsigned char value)
{
    piece->size = size;
    piece->fill = value;
    memset(piece->bytes, value, size - sizeof *piece);
}

static void check(const struct piece *piece, size_t size)
{
    for (size_t i = 0; i < size - sizeof *piece; i++) {
        if (piece->bytes[i] != piece->fill) {
            complain("a byte has changed");
            return;
        }
    }
}

static struct piece *make(unsigned way, size_t size)
{
    void *block = NULL;
    size_t alignment = (size_t)16 << way % 4;
    switch (way % 8) {
    case 0:
        block = calloc(1, size);
        break;
    case 1:
        if (posix_memalign(&block, alignment, size) != 0) {
            complain("posix_memalign has failed");
        }
        break;
    case 2:
        block = aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
        break;
    case 3:
        block = memalign(alignment, size);
        break;
    case 4:
        block = reallocarray(NULL, size, 1);
        break;
    default:
        block = malloc(size);
    }
    bool wants_alignment = way % 8 >= 1 && way % 8 <= 3;
    if (!block || (wants_alignment && (uintptr_t)block % alignment != 0)) {
        complain("no block, or not aligned");
        abort();
    }
    atomic_fetch_add(&allocated, heap_size(block));
    return block;
}

static void resize(struct piece **piece, size_t size)
{
    size_t old = (*piece)->size;
    size_t old_heap = heap_size(*piece);
    struct piece *moved = realloc(*piece, size);
    check(moved, old < size ? old : size);
    size_t heap = heap_size(moved);
    if (heap > old_heap) {
        atomic_fetch_add(&allocated, heap - old_heap);
    }
    fill(moved, size, moved->fill);
    *piece = moved;
}

static void one_step(unsigned random)
{
    size_t size = sizeof(struct piece) + (random >> 8) % ((random >> 20) % 16 ? 700 : 40000);
    struct piece *piece = atomic_exchange(&slots[random % SLOTS], NULL);
    if (!piece) {
        piece = make(random >> 24, size);
        fill(piece, size, (unsigned char)(random >> 16));
    } else {
        check(piece, piece->size);
        if (random >> 31) {
            free(piece);
            return;
        }
        resize(&piece, size);
    }
    free(atomic_exchange(&slots[(random >> 4) % SLOTS], piece));
}

static void *work(void *argument)
{
    unsigned random = (unsigned)(uintptr_t)argument * 7919 + 1;
    for (int i = 0; i < rounds_of_thread; i++) {
        random = random * 1664525u + 1013904223u;
        one_step(random ^ random >> 15);
    }
    return NULL;
}

// In the middle of it all: what others hold in the allocator must not matter to the child.
static void fork_once(void)
{
    pid_t child = fork();
    if (child == 0) {
        unsigned long before = atomic_load(&bad);
        for (unsigned i = 0; i < 20000; i++) {
            unsigned random = i * 2654435761u + 12345;
            one_step(random ^ random >> 15);
        }
        _exit(atomic_load(&bad) != before);
    }
    int status = -1;
    if (waitpid(child, &status, 0) != child || status != 0) {
        complain("a forked child has failed");
    }
}

static void check_failures(void)
{
    errno = 0;
    if (malloc((size_t)1 << 60) || errno != ENOMEM || calloc((size_t)1 << 40, (size_t)1 << 40)) {
        complain("what cannot be was allocated");
    }
    char *text = malloc(100);
    strcpy(text, "kept");
    if (realloc(text, (size_t)1 << 60) || reallocarray(text, (size_t)1 << 40, (size_t)1 << 40) ||
        strcmp(text, "kept") != 0) {
        complain("a failed realloc has changed something");
    }
    errno = 77;
    free(text);
    free(NULL);
    if (errno != 77) {
        complain("free has changed errno");
    }
}

int torture(int threads, int rounds, unsigned long *bytes)
{
    pthread_t list[64];
    rounds_of_thread = rounds;
    check_failures();
    for (int i = 0; i < threads; i++) {
        pthread_create(&list[i], NULL, work, (void *)(uintptr_t)(i + 1));
    }
    for (int i = 0; i < 5; i++) {
        fork_once();
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(list[i], NULL);
    }
    for (int i = 0; i < SLOTS; i++) {
        struct piece *piece = atomic_exchange(&slots[i], NULL);
        if (piece) {
            check(piece, piece->size);
        }
        free(piece);
    }
    *bytes = allocated;
    return (int)bad;
}

int main(int argument_count, char **arguments)
{
    unsigned long bytes = 0;
    int failures =
        argument_count < 3 ? -1 : torture(atoi(arguments[1]), atoi(arguments[2]), &bytes);
    printf("%d failures\n", failures);
    return failures != 0;
}
