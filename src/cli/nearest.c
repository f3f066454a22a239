// SPDX-License-Identifier: Apache-2.0
#include "cli/nearest.h"

#include <string.h>

#define MAX_LEN 48 // longer words are compared by their beginnings

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t nearest_distance(const char *a, const char *b)
{
    size_t costs[3][MAX_LEN + 1]; // of the last rows, by i % 3
    size_t a_len = strnlen(a, MAX_LEN);
    size_t b_len = strnlen(b, MAX_LEN);
    for (size_t j = 0; j <= b_len; j++) {
        costs[0][j] = j;
    }
    for (size_t i = 1; i <= a_len; i++) {
        size_t *row = costs[i % 3];
        const size_t *above = costs[(i - 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t change = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least(change, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = least(row[j], costs[(i - 2) % 3][j - 2] + 1);
            }
        }
    }
    return costs[a_len % 3][b_len];
}

bool nearest_improves(const char *typed, const char *meant, size_t *best)
{
    size_t distance = nearest_distance(typed, meant);
    size_t limit = strlen(typed) / 3 + 1;
    if (distance > limit || distance >= *best) {
        return false;
    }
    *best = distance;
    return true;
}
