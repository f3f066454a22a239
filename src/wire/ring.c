// SPDX-License-Identifier: Apache-2.0
#include "wire/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

// A record's header word, from the top: committed (1 bit), stamp (31), length / 8 (16), type (16).
// The stamp is the record's position, so that a word from an earlier lap, or a piece of some
// record's body, is never taken for a header.
//
// The word is written twice: without the committed bit before anything of the body, with it after
// all of the body. The reader clears what it has read. So a reservation whose writer died before
// its first store is all zeros up to the next header, and any other one tells its length.
#define RING_MAGIC       0x31676e6972637300ull
#define COMMITTED        (1ull << 63)
#define STAMP_MASK       0x7fffffffull
#define RECORD_ALIGNMENT 8
#define RECORD_MAX_BYTES ((size_t)UINT16_MAX * RECORD_ALIGNMENT)

_Static_assert(sizeof(struct ring_header) <= RING_HEADER_SIZE, "the data begin after it");

static uint64_t header_word(enum record_type type, uint64_t len, uint64_t position)
{
    uint64_t stamp = (position / RECORD_ALIGNMENT + 1) & STAMP_MASK;
    return stamp << 32 | (len / RECORD_ALIGNMENT) << 16 | (uint64_t)type;
}

static void *map_twice(int fd, uint64_t size)
{
    uint8_t *base = mmap(NULL, RING_HEADER_SIZE + 2 * size, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
        return NULL;
    }
    int protection = PROT_READ | PROT_WRITE;
    int flags = MAP_SHARED | MAP_FIXED;
    void *whole = mmap(base, RING_HEADER_SIZE + size, protection, flags, fd, 0);
    void *mirror =
        mmap(base + RING_HEADER_SIZE + size, size, protection, flags, fd, RING_HEADER_SIZE);
    if (whole == MAP_FAILED || mirror == MAP_FAILED) {
        munmap(base, RING_HEADER_SIZE + 2 * size);
        return NULL;
    }
    return base;
}

static bool attach(struct ring *ring, int fd, uint64_t size)
{
    uint8_t *base = map_twice(fd, size);
    if (!base) {
        return false;
    }
    ring->header = (struct ring_header *)base;
    ring->data = base + RING_HEADER_SIZE;
    ring->size = size;
    return true;
}

// Takes at most a sixteenth of what is free: the file system is the program's too. The fuller it is
// the less: hundreds of processes are to have a ring each in the 64 MB that a container may give.
// And stays below the program's limit on file sizes, since growing past it raises SIGXFSZ.
static uint64_t affordable_size(int fd, uint64_t size)
{
    uint64_t most = UINT64_MAX;
    uint64_t fair = UINT64_MAX;
    struct statvfs fs;
    if (fstatvfs(fd, &fs) == 0 && fs.f_blocks > 0) { // 0 blocks: a tmpfs without a limit
        most = (uint64_t)fs.f_bavail * fs.f_frsize / 16;
        fair = (uint64_t)((double)most * (double)fs.f_bavail / (double)fs.f_blocks);
    }
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < most) {
        most = limit.rlim_cur;
    }
    while (size > RING_MIN_BYTES && size + RING_HEADER_SIZE > fair) {
        size /= 2;
    }
    while (size >= RING_MIN_BYTES && size + RING_HEADER_SIZE > most) {
        size /= 2;
    }
    return size;
}

// Reserved here, a full file system is an error now and not a SIGBUS in the program later. The
// program's signals may interrupt it; one that interrupts every attempt is not waited out.
static bool reserve_pages(int fd, uint64_t size)
{
    int failure = EINTR;
    for (int attempt = 0; failure == EINTR && attempt < 32; attempt++) {
        failure = posix_fallocate(fd, 0, (off_t)size);
    }
    return failure == 0;
}

bool ring_create(struct ring *ring, const char *path, uint64_t size)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return false;
    }
    size = affordable_size(fd, size);
    // The program's umask may take away the very rights that the reader needs.
    bool made = fchmod(fd, 0600) == 0 && size >= RING_MIN_BYTES &&
                reserve_pages(fd, RING_HEADER_SIZE + size) && attach(ring, fd, size);
    int problem = errno;
    close(fd);
    if (!made) {
        unlink(path);
        errno = problem;
        return false;
    }
    ring->header->version = RING_VERSION;
    ring->header->pid = (int32_t)getpid();
    ring->header->size = size;
    atomic_store_explicit(&ring->header->magic, RING_MAGIC, memory_order_release);
    return true;
}

void *ring_reserve(struct ring *ring, enum record_type type, size_t len)
{
    size_t most = ring->size / 2 < RECORD_MAX_BYTES ? ring->size / 2 : RECORD_MAX_BYTES;
    if (!ring->header || len > most || len < sizeof(struct record_header)) {
        return NULL;
    }
    len = (len + RECORD_ALIGNMENT - 1) & ~(size_t)(RECORD_ALIGNMENT - 1);
    struct ring_header *header = ring->header;
    uint64_t position = atomic_load_explicit(&header->head, memory_order_relaxed);
    do {
        uint64_t tail = atomic_load_explicit(&header->tail, memory_order_acquire);
        // Signed: a position that others have overtaken may lie behind the tail. The exchange
        // then fails and brings a fresh one.
        if ((int64_t)(position + len - tail) > (int64_t)ring->size) {
            return NULL;
        }
    } while (!atomic_compare_exchange_weak_explicit(&header->head, &position, position + len,
                                                    memory_order_acquire, memory_order_relaxed));
    struct record_header *record = (void *)(ring->data + (position & (ring->size - 1)));
    atomic_store_explicit(&record->word, header_word(type, len, position), memory_order_relaxed);
    // No store to the body may come before the word: see above.
    atomic_thread_fence(memory_order_release);
    return record;
}

void ring_commit(void *record)
{
    struct record_header *header = record;
    uint64_t word = atomic_load_explicit(&header->word, memory_order_relaxed);
    atomic_store_explicit(&header->word, word | COMMITTED, memory_order_release);
}

unsigned ring_fill_percent(const struct ring *ring)
{
    if (!ring->header) {
        return 100;
    }
    // The tail first: it never overtakes a head that is read after it.
    uint64_t tail = atomic_load_explicit(&ring->header->tail, memory_order_acquire);
    uint64_t head = atomic_load_explicit(&ring->header->head, memory_order_relaxed);
    uint64_t percent = (head - tail) * 100 / ring->size;
    return percent < 100 ? (unsigned)percent : 100;
}

void ring_count(struct ring *ring, enum ring_counter counter, uint64_t amount)
{
    if (ring->header) {
        atomic_fetch_add_explicit(&ring->header->counters[counter], amount, memory_order_relaxed);
    }
}

void ring_close(struct ring *ring)
{
    if (ring->header) {
        munmap(ring->header, RING_HEADER_SIZE + 2 * ring->size);
    }
    *ring = (struct ring){0};
}

enum ring_open_result ring_open(struct ring *ring, const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return errno == ENOENT ? RING_NOT_READY : RING_REFUSED;
    }
    // Not fstat, which an old libc does not export: the agent carries this file too.
    off_t file_size = lseek(fd, 0, SEEK_END);
    struct ring_header header;
    enum ring_open_result result = RING_NOT_READY;
    if (file_size < 0) {
        result = RING_REFUSED;
    } else if (pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header &&
               atomic_load(&header.magic) != 0) {
        uint64_t size = header.size;
        bool is_ring = atomic_load(&header.magic) == RING_MAGIC && header.version == RING_VERSION;
        bool is_sane = size >= RING_MIN_BYTES && size <= RING_MAX_BYTES &&
                       (size & (size - 1)) == 0 && (uint64_t)file_size >= RING_HEADER_SIZE + size;
        result = is_ring && is_sane && attach(ring, fd, size) ? RING_OPENED : RING_REFUSED;
    }
    close(fd);
    return result;
}

// How far the reader must step over what a dead writer left at `tail`: a record that tells its
// length, or zeros up to the next header.
static uint64_t torn_length(const struct ring *ring, uint64_t tail, uint64_t head, uint64_t word)
{
    uint64_t rest = head - tail;
    if (word != 0) {
        uint64_t len = (word >> 16 & UINT16_MAX) * RECORD_ALIGNMENT;
        enum record_type type = (enum record_type)(word & UINT16_MAX);
        bool is_ours = (word & ~COMMITTED) == header_word(type, len, tail);
        return is_ours && len > 0 && len <= rest ? len : rest;
    }
    uint64_t len = RECORD_ALIGNMENT;
    while (len < rest) {
        const uint64_t *at = (const void *)(ring->data + ((tail + len) & (ring->size - 1)));
        if (*at != 0) {
            break;
        }
        len += RECORD_ALIGNMENT;
    }
    return len < rest ? len : rest;
}

static void release(struct ring *ring, uint64_t tail, uint64_t len)
{
    memset(ring->data + (tail & (ring->size - 1)), 0, len);
    atomic_store_explicit(&ring->header->tail, tail + len, memory_order_release);
}

bool ring_next(struct ring *ring, bool writer_is_gone, struct ring_view *view, uint64_t *torn)
{
    if (view->record) {
        release(ring, atomic_load_explicit(&ring->header->tail, memory_order_relaxed), view->len);
        view->record = NULL;
    }
    for (;;) {
        uint64_t tail = atomic_load_explicit(&ring->header->tail, memory_order_relaxed);
        uint64_t head = atomic_load_explicit(&ring->header->head, memory_order_acquire);
        // Both words are the program's to scribble on.
        if (head - tail > ring->size || tail % RECORD_ALIGNMENT != 0) {
            *torn += 1;
            atomic_store_explicit(&ring->header->tail, head & ~(uint64_t)(RECORD_ALIGNMENT - 1),
                                  memory_order_release);
            return false;
        }
        if (head - tail < RECORD_ALIGNMENT) {
            return false;
        }
        struct record_header *record = (void *)(ring->data + (tail & (ring->size - 1)));
        uint64_t word = atomic_load_explicit(&record->word, memory_order_acquire);
        uint64_t len = (word >> 16 & UINT16_MAX) * RECORD_ALIGNMENT;
        enum record_type type = (enum record_type)(word & UINT16_MAX);
        bool is_whole = (word & COMMITTED) && len > 0 && len <= head - tail &&
                        (word & ~COMMITTED) == header_word(type, len, tail);
        if (is_whole && type > RECORD_NONE && type < RECORD_TYPE_COUNT) {
            *view = (struct ring_view){record, type, len};
            return true;
        }
        if (!is_whole && !writer_is_gone) {
            return false;
        }
        *torn += 1;
        release(ring, tail, is_whole ? len : torn_length(ring, tail, head, word));
    }
}
