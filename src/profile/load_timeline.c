// SPDX-License-Identifier: Apache-2.0
#include "profile/load_timeline.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "profile/field.h"

#define TIMELINE_MAX 1000000
#define DIGITS_MAX   18 // of a number that is read here: no sum of these overflows

struct sample {
    double t_s;
    uint64_t stack;
    uint64_t count;
    uint64_t thread_id;
};

static void add_sample(struct profile *profile, const struct sample *sample)
{
    const struct profile_run *last =
        profile->timeline_count > 0 ? &profile->timeline[profile->timeline_count - 1] : NULL;
    if (sample->stack >= profile->combined_count || (last && sample->t_s < last->t_s) ||
        profile->timeline_count == TIMELINE_MAX) {
        return;
    }
    profile->timeline = mem_grow(profile->timeline, profile->timeline_count,
                                 &profile->timeline_capacity, sizeof *profile->timeline);
    profile->timeline[profile->timeline_count++] = (struct profile_run){
        .t_s = sample->t_s,
        .stack = (uint32_t)sample->stack,
        .count = sample->count > 0 && sample->count < UINT32_MAX ? (uint32_t)sample->count : 1,
        .thread_id = sample->thread_id,
    };
}

void load_timeline(const json_t *list, struct profile *profile)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *object = json_array_get(list, i);
        const struct sample sample = {.t_s = field_real(object, "t_sec"),
                                      .stack = field_count(object, "stack_index"),
                                      .count = field_count(object, "count"),
                                      .thread_id = field_count(object, "thread_id")};
        add_sample(profile, &sample);
    }
}

struct scan {
    const char *at;
    const char *end;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static char next_char(struct scan *scan)
{
    while (scan->at < scan->end && is_space(*scan->at)) {
        scan->at++;
    }
    return scan->at < scan->end ? *scan->at : '\0';
}

static bool take(struct scan *scan, char expected)
{
    bool is_there = next_char(scan) == expected;
    scan->at += is_there;
    return is_there;
}

static bool is_digit(const struct scan *scan)
{
    return scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9';
}

static int take_digits(struct scan *scan, uint64_t *digits)
{
    int count = 0;
    for (; is_digit(scan) && count <= DIGITS_MAX; count++) {
        *digits = *digits * 10 + (uint64_t)(*scan->at++ - '0');
    }
    return count;
}

// Digits with or without a point, as samples have them: neither a sign nor an exponent.
static bool take_number(struct scan *scan, uint64_t *whole, double *real)
{
    static const double powers[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
    uint64_t digits = 0;
    next_char(scan);
    int count = take_digits(scan, &digits);
    int decimals = 0;
    *whole = digits;
    if (count > 0 && scan->at < scan->end && *scan->at == '.') {
        scan->at++;
        decimals = take_digits(scan, &digits);
        *whole = 0; // what counts is an integer
        count = decimals > 0 ? count + decimals : 0;
    }
    if (count == 0 || count > DIGITS_MAX || (next_char(scan) != ',' && *scan->at != '}')) {
        return false;
    }
    *real = (double)digits / powers[decimals];
    return true;
}

static bool take_key(struct scan *scan, const char **key, size_t *len)
{
    if (!take(scan, '"')) {
        return false;
    }
    const char *end = memchr(scan->at, '"', (size_t)(scan->end - scan->at));
    if (!end) {
        return false;
    }
    *key = scan->at;
    *len = (size_t)(end - scan->at);
    scan->at = end + 1;
    return take(scan, ':');
}

static bool is_key(const char *key, size_t len, const char *name)
{
    return len == strlen(name) && memcmp(key, name, len) == 0;
}

static bool take_member(struct scan *scan, struct sample *sample)
{
    const char *key;
    size_t len;
    uint64_t whole;
    double real;
    if (!take_key(scan, &key, &len) || !take_number(scan, &whole, &real)) {
        return false;
    }
    if (is_key(key, len, "t_sec")) {
        sample->t_s = real;
    } else if (is_key(key, len, "stack_index")) {
        sample->stack = whole;
    } else if (is_key(key, len, "count")) {
        sample->count = whole;
    } else if (is_key(key, len, "thread_id")) {
        sample->thread_id = whole;
    } else {
        return false;
    }
    return true;
}

static bool take_sample(struct scan *scan, struct sample *sample)
{
    bool is_good = take(scan, '{');
    *sample = (struct sample){0};
    do {
        is_good = is_good && take_member(scan, sample);
    } while (is_good && take(scan, ','));
    return is_good && take(scan, '}');
}

bool load_timeline_text(const char *text, size_t len, struct profile *profile)
{
    struct scan scan = {text, text + len};
    struct sample sample;
    bool is_good = take(&scan, '[');
    if (is_good && take(&scan, ']')) {
        return true;
    }
    do {
        is_good = is_good && take_sample(&scan, &sample);
        if (is_good) {
            add_sample(profile, &sample);
        }
    } while (is_good && take(&scan, ','));
    is_good = is_good && take(&scan, ']') && next_char(&scan) == '\0';
    profile->timeline_count = is_good ? profile->timeline_count : 0;
    return is_good;
}
