// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/library_name.h"

#include <stdatomic.h>
#include <string.h>

#include "agent/cpython/interpreter.h"
#include "agent/cpython/text.h"

#define PATH_MOST    1024u
#define ANSWER_COUNT 128u

// The same for text of any width: what is not ASCII is nothing that is looked for.
static size_t copy_narrow(char *path, const struct text_piece *piece)
{
    size_t count = piece->len / piece->width;
    count = count < PATH_MOST - 1 ? count : PATH_MOST - 1;
    const uint8_t *data = (const uint8_t *)piece->data;
    for (size_t i = 0; i < count; i++) {
        uint32_t point = 0;
        memcpy(&point, data + i * piece->width, piece->width);
        path[i] = point > 0 && point < 0x80 ? (char)point : '?';
    }
    path[count] = '\0';
    return count;
}

static bool has_python_folder(const char *path)
{
    for (const char *at = path; (at = strstr(at, "/python")); at++) {
        const char *version = at + strlen("/python");
        const char *name = at;
        while (name > path && name[-1] != '/') {
            name--;
        }
        bool is_below_lib = strncmp(name, "lib", 3) == 0;
        if (is_below_lib && version[0] >= '0' && version[0] <= '9') {
            return true;
        }
    }
    return false;
}

static bool is_library(const struct text_piece *piece)
{
    char path[PATH_MOST];
    return copy_narrow(path, piece) > 0 &&
           (strncmp(path, "<frozen", 7) == 0 || strstr(path, "/site-packages/") ||
            strstr(path, "/dist-packages/") || has_python_folder(path));
}

// The answers of late, each in one word: the name's address, length and end, and the answer in its
// lowest bit.
static _Atomic uint64_t answers[ANSWER_COUNT];

static uint64_t key_of(uintptr_t name, const struct text_piece *piece)
{
    uint64_t end = 0;
    size_t len = piece->len < sizeof end ? piece->len : sizeof end;
    memcpy(&end, (const char *)piece->data + piece->len - len, len);
    uint64_t key = (name ^ (uint64_t)piece->len << 48 ^ end) * 0x9e3779b97f4a7c15u;
    return (key ^ key >> 32) & ~(uint64_t)1;
}

bool library_name_of_code(struct probe *probe, uintptr_t code)
{
    struct text_piece piece;
    uintptr_t name = probe_word(probe, code + (uintptr_t)interpreter.layout.code_filename);
    if (!text_find(probe, name, &piece)) {
        return false;
    }
    uint64_t key = key_of(name, &piece);
    _Atomic uint64_t *place = &answers[key >> 1 & (ANSWER_COUNT - 1)];
    uint64_t known = atomic_load_explicit(place, memory_order_relaxed);
    if ((known & ~(uint64_t)1) == key) {
        return known & 1;
    }
    bool answer = is_library(&piece);
    atomic_store_explicit(place, key | answer, memory_order_relaxed);
    return answer;
}
