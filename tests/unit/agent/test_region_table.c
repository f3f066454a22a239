// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/region_table.h"
#include "agent/session.h"
#include "unit.h"

#define BASE      ((uintptr_t)1 << 40)
#define KIND_SIZE (REGION_SHARED + 1)

static _Atomic uint64_t untracked_count;

void session_count(enum ring_counter counter, uint64_t amount)
{
    assert_int_equal(counter, COUNTER_regions_untracked);
    atomic_fetch_add(&untracked_count, amount);
}

static uintptr_t page_address(size_t page)
{
    return BASE + page * REGION_PAGE;
}

static bool add(size_t page, size_t count, enum region_kind kind)
{
    return region_table_add((struct region){page_address(page), count * REGION_PAGE, kind});
}

// Pages taken out of a range, by kind; with one more place for all of them.
struct taken {
    size_t pages[KIND_SIZE];
    size_t cuts;
};

static struct taken take(size_t page, size_t count, unsigned kinds)
{
    struct taken taken = {0};
    struct region_search search =
        region_table_search(page_address(page), count * REGION_PAGE, kinds);
    for (struct region_cut cut; region_table_take(&search, &cut);) {
        assert_true(cut.start >= cut.whole.start);
        assert_true(cut.start + cut.size <= cut.whole.start + cut.whole.size);
        assert_true(kinds & REGION_IS(cut.whole.kind));
        taken.pages[cut.whole.kind] += cut.size / REGION_PAGE;
        taken.cuts++;
    }
    return taken;
}

static int clear(void **state)
{
    (void)state;
    struct region_search search = region_table_search(0, (uintptr_t)1 << 47, REGION_IS_ANYTHING);
    for (struct region_cut cut; region_table_take(&search, &cut);) {
    }
    atomic_store(&untracked_count, 0);
    return 0;
}

static void a_region_is_taken_out_as_it_was_entered(void **state)
{
    (void)state;
    assert_true(add(10, 5, REGION_BLOCK));
    assert_int_equal(take(0, 10, REGION_IS_ANYTHING).cuts, 0);
    assert_int_equal(take(15, 10, REGION_IS_ANYTHING).cuts, 0);
    assert_int_equal(take(10, 5, REGION_IS(REGION_FILE)).cuts, 0);
    assert_int_equal(take(10, 5, REGION_IS_ANYTHING).pages[REGION_BLOCK], 5);
    assert_int_equal(take(10, 5, REGION_IS_ANYTHING).cuts, 0);
}

static void a_hole_leaves_both_ends(void **state)
{
    (void)state;
    add(0, 10, REGION_FILE);
    assert_int_equal(take(4, 2, REGION_IS_ANYTHING).pages[REGION_FILE], 2);
    assert_int_equal(take(3, 4, REGION_IS_ANYTHING).pages[REGION_FILE], 2);
    assert_int_equal(take(0, 100, REGION_IS_ANYTHING).pages[REGION_FILE], 6);
}

static void a_block_with_a_hole_goes_on_as_its_front(void **state)
{
    (void)state;
    add(0, 10, REGION_BLOCK);
    take(4, 2, REGION_IS_ANYTHING);
    struct taken rest = take(0, 10, REGION_IS_ANYTHING);
    assert_int_equal(rest.pages[REGION_BLOCK], 4);
    assert_int_equal(rest.pages[REGION_MEMORY], 4);
}

static void neighbours_are_joined_and_blocks_are_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3 * REGION_ROOM; i++) {
        assert_true(add(2 * i + 1, 1, REGION_MEMORY));
        if (i > 0) {
            assert_true(add(2 * i, 1, REGION_MEMORY)); // fills the gap
        }
    }
    struct taken all = take(0, 10 * REGION_ROOM, REGION_IS_ANYTHING);
    assert_int_equal(all.cuts, 1);
    assert_int_equal(all.pages[REGION_MEMORY], 6 * REGION_ROOM - 1);
    add(0, 1, REGION_BLOCK);
    add(1, 1, REGION_BLOCK);
    add(2, 1, REGION_MEMORY);
    add(3, 1, REGION_FILE);
    assert_int_equal(take(0, 4, REGION_IS_ANYTHING).cuts, 4);
}

static void a_full_table_says_so(void **state)
{
    (void)state;
    size_t count = 0;
    while (count < 2 * REGION_ROOM && add(2 * count, 1, REGION_BLOCK)) {
        count++;
        assert_int_equal(region_table_is_crowded(), count >= REGION_ROOM / 4 * 3);
    }
    assert_int_equal(count, REGION_ROOM);
    // A large region with a hole would be two: what is behind the hole is let go with it.
    take(0, 1, REGION_IS_ANYTHING);
    assert_true(add(100000, 10, REGION_FILE));
    assert_int_equal(take(100004, 1, REGION_IS_ANYTHING).pages[REGION_FILE], 6);
    assert_int_equal(untracked_count, 1);
    assert_int_equal(take(100000, 10, REGION_IS_ANYTHING).pages[REGION_FILE], 4);
    assert_int_equal(take(0, 2 * REGION_ROOM, REGION_IS_ANYTHING).cuts, REGION_ROOM - 1);
    assert_false(region_table_is_crowded());
}

static void terabytes_are_several_regions(void **state)
{
    (void)state;
    size_t pages = ((size_t)3 << 40) / REGION_PAGE;
    assert_true(add(0, pages, REGION_RESERVED));
    assert_int_equal(take(pages / 2, 100, REGION_IS_ANYTHING).pages[REGION_RESERVED], 100);
    assert_int_equal(take(0, pages, REGION_IS_ANYTHING).pages[REGION_RESERVED], pages - 100);
    assert_false(region_table_add((struct region){(uintptr_t)1 << 47, REGION_PAGE, REGION_FILE}));
}

#define MODEL_PAGES 512

// The truth, page by page.
struct model {
    size_t first_page;
    size_t page_count;
    uint8_t kinds[MODEL_PAGES];
    uint32_t random;
};

static size_t draw(struct model *model, size_t limit)
{
    model->random = model->random * 1664525u + 1013904223u;
    return (size_t)((uint64_t)model->random * limit >> 32);
}

static void expect_taken(struct model *model, size_t at, size_t count, unsigned kinds)
{
    size_t expected[KIND_SIZE] = {0};
    for (size_t i = at; i < at + count; i++) {
        if (kinds & REGION_IS(model->kinds[i])) {
            expected[model->kinds[i]]++;
            model->kinds[i] = 0;
        }
    }
    // Which part of a block is memory now is chance here: both are one's own.
    struct taken taken = take(model->first_page + at, count, kinds);
    expected[REGION_MEMORY] += expected[REGION_BLOCK];
    taken.pages[REGION_MEMORY] += taken.pages[REGION_BLOCK];
    expected[REGION_BLOCK] = taken.pages[REGION_BLOCK] = 0;
    for (size_t kind = 1; kind < KIND_SIZE; kind++) {
        assert_int_equal(taken.pages[kind], expected[kind]);
    }
}

static unsigned some_kinds(struct model *model)
{
    static const unsigned sets[] = {
        REGION_IS_ANYTHING,
        REGION_IS(REGION_MEMORY) | REGION_IS(REGION_BLOCK),
        REGION_IS(REGION_RESERVED) | REGION_IS(REGION_BOUNDLESS),
    };
    return sets[draw(model, 3)];
}

static void step(struct model *model)
{
    size_t at = draw(model, model->page_count);
    size_t most = model->page_count - at < 32 ? model->page_count - at : 32;
    size_t count = 1 + draw(model, most);
    if (draw(model, 2)) {
        expect_taken(model, at, count, some_kinds(model));
        return;
    }
    enum region_kind kind = (enum region_kind)(1 + draw(model, REGION_SHARED));
    expect_taken(model, at, count, REGION_IS_ANYTHING);
    assert_true(add(model->first_page + at, count, kind));
    for (size_t i = at; i < at + count; i++) {
        model->kinds[i] = (uint8_t)kind;
    }
}

static void random_changes_agree_with_a_page_table(void **state)
{
    (void)state;
    struct model model = {.page_count = MODEL_PAGES, .random = 1};
    for (int i = 0; i < 200000; i++) {
        step(&model);
    }
    expect_taken(&model, 0, MODEL_PAGES, REGION_IS_ANYTHING);
}

#define THREADS 4

static void *change_at_random(void *argument)
{
    struct model *model = argument;
    for (int i = 0; i < 100000; i++) {
        step(model);
    }
    expect_taken(model, 0, model->page_count, REGION_IS_ANYTHING);
    return NULL;
}

// The threads' pages lie side by side, so that each cuts and joins what the others enter.
static void threads_with_neighbouring_pages_agree(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    struct model models[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        models[i] = (struct model){
            .first_page = i * 16, .page_count = 16, .random = (uint32_t)(i + 1) * 7919};
        assert_int_equal(pthread_create(&threads[i], NULL, change_at_random, &models[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(untracked_count, 0);
}

static void *change_for_ever(void *argument)
{
    struct model *model = argument;
    for (;;) {
        step(model);
    }
    return NULL;
}

// Wherever the other thread was, its half-done work is finished in the child: the child's own
// pages, joined to the other's, are all there, and none is there twice.
static void check_in_child(struct model *model, size_t page_count)
{
    region_table_forked();
    expect_taken(model, 0, model->page_count, REGION_IS_ANYTHING);
    size_t seen = 0;
    struct taken rest = take(0, page_count, REGION_IS_ANYTHING);
    for (size_t kind = 1; kind < KIND_SIZE; kind++) {
        seen += rest.pages[kind];
    }
    assert_in_range(seen, 0, page_count - model->page_count);
}

static void a_forked_child_finds_every_word_whole(void **state)
{
    (void)state;
    pthread_t other;
    struct model theirs = {.first_page = 16, .page_count = 16, .random = 5};
    struct model ours = {.first_page = 0, .page_count = 16, .random = 3};
    assert_int_equal(pthread_create(&other, NULL, change_for_ever, &theirs), 0);
    for (int i = 0; i < 300; i++) {
        for (int j = 0; j < 20; j++) {
            step(&ours);
        }
        pid_t child = fork();
        if (child == 0) {
            check_in_child(&ours, 32);
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
    }
    pthread_cancel(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_region_is_taken_out_as_it_was_entered, clear),
        cmocka_unit_test_setup(a_hole_leaves_both_ends, clear),
        cmocka_unit_test_setup(a_block_with_a_hole_goes_on_as_its_front, clear),
        cmocka_unit_test_setup(neighbours_are_joined_and_blocks_are_not, clear),
        cmocka_unit_test_setup(a_full_table_says_so, clear),
        cmocka_unit_test_setup(terabytes_are_several_regions, clear),
        cmocka_unit_test_setup(random_changes_agree_with_a_page_table, clear),
        cmocka_unit_test_setup(threads_with_neighbouring_pages_agree, clear),
        cmocka_unit_test_setup(a_forked_child_finds_every_word_whole, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
