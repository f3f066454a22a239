// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "agent/byte_stretch.h"
#include "unit.h"

#define WINDOW 65536u

struct stream {
    uint32_t left;
    struct byte_stretch stretch;
    uint64_t random;
};

// As who copies is found: most copies are only subtracted.
static uint64_t copy(struct stream *stream, uint64_t len, uint32_t window)
{
    if (len < stream->left) {
        stream->left -= (uint32_t)len;
        return 0;
    }
    if (stream->stretch.mean == 0) {
        uint64_t chance = byte_stretch_random(&stream->random);
        byte_stretch_begin(&stream->stretch, &stream->left, chance, window);
    }
    if (len >= stream->stretch.mean) {
        return len;
    }
    return byte_stretch_pass(&stream->stretch, &stream->left, len, window, &stream->random);
}

static void one_size_alone_is_right_within_a_window(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 7, 64, 1000, 4096, 65535};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct stream stream = {.random = 12345 + i};
        uint64_t sum = 0;
        uint64_t weight = 0;
        while (sum < 1000 * (uint64_t)WINDOW) {
            sum += sizes[i];
            weight += copy(&stream, sizes[i], WINDOW);
            assert_in_range(weight + 2 * WINDOW, sum, sum + 4 * WINDOW);
        }
    }
}

static void a_copy_of_a_window_or_more_is_exact(void **state)
{
    (void)state;
    struct stream stream = {.random = 99};
    for (uint64_t len = WINDOW; len < 100 * WINDOW; len += 12345) {
        assert_int_equal(copy(&stream, len, WINDOW), len);
        copy(&stream, len % 1000, WINDOW);
    }
}

// Two lines in turn, one of them a tenth. A window's point is the first's with probability 0.1:
// over n windows its share is off by sqrt(n * 0.09) windows, and 5.5 times that is seen less than
// once in ten million.
static void lines_in_turn_have_their_shares(void **state)
{
    (void)state;
    struct stream stream = {.random = 777};
    uint64_t weights[2] = {0};
    unsigned windows = 20000;
    for (uint64_t sum = 0; sum < (uint64_t)windows * WINDOW; sum += 1000) {
        weights[0] += copy(&stream, 100, WINDOW);
        weights[1] += copy(&stream, 900, WINDOW);
    }
    double seen = (double)weights[0] / WINDOW;
    assert_true(fabs(seen - windows * 0.1) < 5.5 * sqrt(windows * 0.09));
}

// The window follows the rate; each point stands for the window that it was drawn in.
static void a_window_that_changes_loses_nothing(void **state)
{
    (void)state;
    struct stream stream = {.random = 4242};
    uint64_t sum = 0;
    uint64_t weight = 0;
    uint32_t window = WINDOW;
    for (unsigned i = 0; i < 3000000; i++) {
        if (i % 1000 == 0) {
            window = WINDOW << (i / 1000 % 7);
        }
        uint64_t len = i % 97 == 0 ? 200000 : 500;
        sum += len;
        weight += copy(&stream, len, window);
    }
    assert_in_range(weight, sum / 100 * 99, sum / 100 * 101);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_size_alone_is_right_within_a_window),
        cmocka_unit_test(a_copy_of_a_window_or_more_is_exact),
        cmocka_unit_test(lines_in_turn_have_their_shares),
        cmocka_unit_test(a_window_that_changes_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
