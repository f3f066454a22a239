// SPDX-License-Identifier: Apache-2.0
#include <string.h>
#include <sys/mman.h>

#include "agent/footprint.h"
#include "agent/mapping.h"
#include "agent/session.h"
#include "agent/symbol.h"
#include "unit.h"

#define BASE    ((uintptr_t)1 << 40)
#define PAGES   256u
#define RW      (PROT_READ | PROT_WRITE)
#define PRIVATE (MAP_PRIVATE | MAP_ANONYMOUS)
#define LAZY    (PRIVATE | MAP_NORESERVE)

struct session session = {.is_active = true, .has_memory = true};
_Thread_local int64_t footprint_owed;
static int64_t memory_bytes, file_bytes, shared_bytes;
static size_t block_pages[PAGES]; // of the block that begins there
static bool wants_blocks = true;
static size_t failure_count; // of what should never happen

void session_count(enum ring_counter counter, uint64_t amount)
{
    (void)counter;
    failure_count += amount;
}

void footprint_settle(void)
{
    memory_bytes += footprint_owed;
    footprint_owed = 0;
}

void footprint_add_file(int64_t bytes)
{
    file_bytes += bytes;
}

void footprint_add_shared(int64_t bytes)
{
    shared_bytes += bytes;
}

void symbol_scope_init(struct symbol_scope *scope)
{
    scope->count = 0;
}

void *symbol_find(const struct symbol_scope *scope, const char *name, const char *version)
{
    (void)scope;
    (void)name;
    (void)version;
    return NULL;
}

struct symbol_bounds symbol_bounds_of(const void *address)
{
    (void)address;
    return (struct symbol_bounds){1000, 2000};
}

static size_t page_of(uintptr_t start)
{
    return (start - BASE) / REGION_PAGE;
}

static void *address_of(size_t page)
{
    return (void *)(BASE + page * REGION_PAGE);
}

bool mapped_block_is_wanted(void)
{
    return wants_blocks;
}

void mapped_block_made(uintptr_t start, size_t size)
{
    failure_count += block_pages[page_of(start)] != 0;
    block_pages[page_of(start)] = size / REGION_PAGE;
}

void mapped_block_freed(uintptr_t start)
{
    failure_count += block_pages[page_of(start)] == 0;
    block_pages[page_of(start)] = 0;
}

struct live_slot *mapped_block_resize_begin(uintptr_t start)
{
    mapped_block_freed(start);
    return (struct live_slot *)start;
}

void mapped_block_resize_end(struct live_slot *slot, const struct mapped_block_change *change)
{
    failure_count += (uintptr_t)slot != change->old_start;
    mapped_block_made(change->start, change->size);
}

static int64_t memory_pages(void)
{
    footprint_settle();
    return memory_bytes / REGION_PAGE;
}

static int clear(void **state)
{
    (void)state;
    mapping_made(address_of(0), PAGES * REGION_PAGE, PROT_READ, MAP_PRIVATE);
    struct mapping_taken taken;
    mapping_unmap_begin(&taken, address_of(0), PAGES * REGION_PAGE);
    mapping_unmap_end(&taken, true);
    wants_blocks = true;
    failure_count = 0;
    return memory_pages() == 0 && file_bytes == 0 && shared_bytes == 0 ? 0 : -1;
}

static void map(size_t page, size_t count, int protection, int flags)
{
    mapping_made(address_of(page), count * REGION_PAGE, protection, flags);
}

static void unmap(size_t page, size_t count, bool is_done)
{
    struct mapping_taken taken;
    mapping_unmap_begin(&taken, address_of(page), count * REGION_PAGE);
    mapping_unmap_end(&taken, is_done);
}

static void move(size_t page, size_t count, void *address, size_t new_count)
{
    struct mapping_taken taken;
    mapping_move_begin(&taken, address_of(page), count * REGION_PAGE);
    mapping_move_end(&taken, address, new_count * REGION_PAGE);
}

static void protect(size_t page, size_t count, int protection)
{
    mapping_protected(address_of(page), count * REGION_PAGE, protection);
}

static void what_can_be_written_counts(void **state)
{
    (void)state;
    map(0, 10, RW, PRIVATE);
    map(20, 10, RW, MAP_SHARED | MAP_ANONYMOUS);
    assert_int_equal(memory_pages(), 20);
    map(40, 10, PROT_NONE, PRIVATE);
    map(60, 10, PROT_READ, LAZY);
    assert_int_equal(memory_pages(), 20);
    map(80, 10, RW, MAP_PRIVATE);
    map(100, 10, PROT_READ, MAP_SHARED);
    map(120, 10, PROT_READ, MAP_SHARED_VALIDATE);
    assert_int_equal(memory_pages(), 20);
    assert_int_equal(file_bytes, 10 * REGION_PAGE);
    assert_int_equal(shared_bytes, 20 * REGION_PAGE);
    unmap(0, PAGES, true);
    assert_int_equal(memory_pages(), 0);
    assert_int_equal(file_bytes, 0);
    assert_int_equal(shared_bytes, 0);
}

static void a_length_counts_in_whole_pages(void **state)
{
    (void)state;
    mapping_made(address_of(0), 1, RW, PRIVATE);
    assert_int_equal(memory_pages(), 1);
    struct mapping_taken taken;
    mapping_unmap_begin(&taken, address_of(0), 1);
    mapping_unmap_end(&taken, true);
    assert_int_equal(memory_pages(), 0);
}

static void a_reservation_counts_as_far_as_it_is_made_writable(void **state)
{
    (void)state;
    map(0, 100, PROT_NONE, LAZY);
    protect(10, 5, RW);
    assert_int_equal(memory_pages(), 5);
    protect(12, 10, RW);
    assert_int_equal(memory_pages(), 12);
    protect(12, 10, PROT_READ);
    assert_int_equal(memory_pages(), 12);
    protect(12, 10, PROT_NONE);
    assert_int_equal(memory_pages(), 2);
    protect(0, 100, RW);
    assert_int_equal(memory_pages(), 100);
    unmap(0, 100, true);
    assert_int_equal(failure_count, 0);
}

// A terabyte for which nothing is set aside is no memory, even if it can be written.
static void a_gigabyte_without_reserve_is_a_reservation(void **state)
{
    (void)state;
    void *far = (void *)((uintptr_t)1 << 45);
    size_t terabyte = (size_t)1 << 40;
    mapping_made(far, terabyte, RW, LAZY);
    mapping_protected(far, terabyte, RW);
    assert_int_equal(memory_pages(), 0);
    wants_blocks = false;
    mapping_protected(far, 7 * REGION_PAGE, RW);
    assert_int_equal(memory_pages(), 7);
    mapping_made(far, terabyte, PROT_NONE, PRIVATE);
    assert_int_equal(memory_pages(), 0);
    mapping_made(far, (size_t)1 << 30, RW, PRIVATE);
    assert_int_equal(memory_pages(), (1 << 30) / REGION_PAGE);
    mapping_made(far, terabyte, PROT_READ, MAP_SHARED);
    assert_int_equal(memory_pages(), 0);
    assert_int_equal(shared_bytes, terabyte);
    struct mapping_taken taken;
    mapping_unmap_begin(&taken, far, terabyte);
    mapping_unmap_end(&taken, true);
    assert_int_equal(shared_bytes, 0);
}

static void a_block_follows_its_mapping(void **state)
{
    (void)state;
    map(0, 10, RW, PRIVATE);
    assert_int_equal(block_pages[0], 10);
    unmap(8, 2, true);
    assert_int_equal(block_pages[0], 8);
    unmap(0, 3, true);
    assert_int_equal(block_pages[0], 0);
    assert_int_equal(block_pages[3], 5);
    move(3, 5, address_of(100), 20);
    assert_int_equal(block_pages[3], 0);
    assert_int_equal(block_pages[100], 20);
    assert_int_equal(memory_pages(), 20);
    move(100, 20, MAP_FAILED, 50);
    assert_int_equal(block_pages[100], 20);
    map(95, 10, RW, PRIVATE); // over its beginning
    assert_int_equal(block_pages[95], 10);
    assert_int_equal(block_pages[105], 15);
    assert_int_equal(memory_pages(), 25);
    unmap(0, PAGES, true);
    assert_int_equal(block_pages[105], 0);
    assert_int_equal(failure_count, 0);
}

static void a_call_that_fails_changes_nothing(void **state)
{
    (void)state;
    map(0, 10, RW, PRIVATE);
    map(20, 10, PROT_READ, MAP_PRIVATE);
    unmap(0, 50, false);
    assert_int_equal(memory_pages(), 10);
    assert_int_equal(file_bytes, 10 * REGION_PAGE);
    unmap(0, 50, true);
    assert_int_equal(memory_pages(), 0);
    assert_int_equal(file_bytes, 0);
}

static void what_an_allocator_maps_is_nobodys_block(void **state)
{
    (void)state;
    wants_blocks = false;
    map(0, 10, RW, PRIVATE);
    assert_int_equal(memory_pages(), 10);
    assert_int_equal(block_pages[0], 0);
    assert_false(mapping_is_followed((const void *)1500));
    assert_true(mapping_is_followed((const void *)2500));
}

enum truth { NOTHING, MEMORY, RESERVED, PRIVATE_FILE, SHARED_FILE };

static uint32_t random_state = 7;

static size_t draw(size_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (size_t)((uint64_t)random_state * limit >> 32);
}

static void set(uint8_t *truth, size_t page, size_t count, enum truth kind)
{
    memset(truth + page, kind, count);
}

static void change_protection(uint8_t *truth, size_t page, size_t count)
{
    bool is_writable = draw(2);
    protect(page, count, is_writable ? RW : PROT_NONE);
    enum truth from = is_writable ? RESERVED : MEMORY;
    for (size_t i = page; i < page + count; i++) {
        if (truth[i] == from) {
            truth[i] = is_writable ? MEMORY : RESERVED;
        }
    }
}

// To where there is nothing in common; as the kernel wants it, of one kind.
static void move_at_random(uint8_t *truth, size_t page, size_t count)
{
    for (size_t i = page + 1; i < page + count; i++) {
        count = truth[i] == truth[page] ? count : i - page;
    }
    size_t to = draw(PAGES - 32);
    size_t new_count = 1 + draw(32);
    if (to + new_count > page && to < page + count) {
        to = page;
    }
    if (to + new_count > PAGES) {
        return;
    }
    enum truth kind = truth[page];
    move(page, count, address_of(to), new_count);
    set(truth, page, count, NOTHING);
    set(truth, to, new_count, kind);
}

static void change_at_random(uint8_t *truth)
{
    static const struct {
        int protection, flags;
        enum truth truth;
    } kinds[] = {{RW, PRIVATE, MEMORY},
                 {PROT_NONE, PRIVATE, RESERVED},
                 {PROT_READ, MAP_PRIVATE, PRIVATE_FILE},
                 {RW, MAP_SHARED, SHARED_FILE}};

    size_t page = draw(PAGES);
    size_t most = PAGES - page < 32 ? PAGES - page : 32;
    size_t count = 1 + draw(most);
    size_t kind = draw(4);
    wants_blocks = draw(2);
    switch (draw(4)) {
    case 0:
        map(page, count, kinds[kind].protection, kinds[kind].flags);
        set(truth, page, count, kinds[kind].truth);
        break;
    case 1:
        if (draw(2)) {
            unmap(page, count, true);
            set(truth, page, count, NOTHING);
        } else {
            unmap(page, count, false);
        }
        break;
    case 2:
        change_protection(truth, page, count);
        break;
    default:
        move_at_random(truth, page, count);
    }
}

static void random_changes_add_up(void **state)
{
    (void)state;
    uint8_t truth[PAGES] = {0};
    for (int i = 0; i < 200000; i++) {
        change_at_random(truth);
        int64_t pages[SHARED_FILE + 1] = {0};
        for (size_t page = 0; page < PAGES; page++) {
            pages[truth[page]]++;
            for (size_t j = page; block_pages[page] && j < page + block_pages[page]; j++) {
                assert_int_equal(truth[j], MEMORY);
            }
        }
        assert_int_equal(memory_pages(), pages[MEMORY]);
        assert_int_equal(file_bytes, pages[PRIVATE_FILE] * REGION_PAGE);
        assert_int_equal(shared_bytes, pages[SHARED_FILE] * REGION_PAGE);
    }
    assert_int_equal(failure_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_can_be_written_counts, clear),
        cmocka_unit_test_setup(a_length_counts_in_whole_pages, clear),
        cmocka_unit_test_setup(a_reservation_counts_as_far_as_it_is_made_writable, clear),
        cmocka_unit_test_setup(a_gigabyte_without_reserve_is_a_reservation, clear),
        cmocka_unit_test_setup(a_block_follows_its_mapping, clear),
        cmocka_unit_test_setup(a_call_that_fails_changes_nothing, clear),
        cmocka_unit_test_setup(what_an_allocator_maps_is_nobodys_block, clear),
        cmocka_unit_test_setup(random_changes_add_up, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
