// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/thread_name.h"

#include <string.h>

#include "agent/cpython/codes.h"
#include "agent/cpython/interpreter.h"
#include "agent/cpython/text.h"

#define NAME_POINTS_MAX 60u
#define ATTRIBUTES_MAX  64u // a thread object with more has its name among the first

// Offsets that do not differ from 3.8 to 3.15.
#define TYPE_BASIC_SIZE  32
#define TYPE_DICT_OFFSET 288
#define DICT_KEYS        32
#define DICT_VALUES      40
#define WORD             8

#define TAG_MASK (~(uintptr_t)3) // of a local variable, 3.14 on

enum keys_kind { KEYS_GENERAL, KEYS_OF_TEXT, KEYS_SPLIT };

// An object's attributes: names in a table that objects of one type may share, values there or
// apart.
struct attributes {
    uintptr_t keys;
    uintptr_t values; // 0: beside the names
};

static int locals_offset(int minor)
{
    if (minor >= 14) {
        return 80;
    }
    return minor >= 11 ? 72 : minor == 10 ? 352 : 360;
}

// In the type: the table of names that its objects share.
static int cached_keys_offset(int minor)
{
    return minor >= 15 ? 888 : minor >= 12 ? 880 : 872;
}

// From 3.13 on a few counts come before the values.
static int values_offset(int minor)
{
    return minor >= 13 ? WORD : 0;
}

static struct attributes of_dict(struct probe *probe, uintptr_t dict)
{
    int offset = values_offset(interpreter.layout.minor);
    uintptr_t values = probe_word(probe, dict + DICT_VALUES);
    return (struct attributes){
        .keys = probe_word(probe, dict + DICT_KEYS),
        .values = values ? values + (uintptr_t)offset : 0,
    };
}

// 3.11 has two words before the object, for the values and for the dictionary; 3.12 one for either,
// with a mark; from 3.13 on values lie behind the object, and the word before is the dictionary's.
static struct attributes of_object(struct probe *probe, uintptr_t object)
{
    int minor = interpreter.layout.minor;
    uintptr_t type = probe_word(probe, object + interpreter.layout.object_type);
    uintptr_t keys = probe_word(probe, type + (uintptr_t)cached_keys_offset(minor));
    if (minor <= 10) {
        uintptr_t offset = probe_word(probe, type + TYPE_DICT_OFFSET);
        return of_dict(probe, probe_word(probe, object + offset));
    }
    uintptr_t dict = probe_word(probe, object - 3 * WORD);
    if (minor == 11 && !dict) {
        return (struct attributes){keys, probe_word(probe, object - 4 * WORD)};
    }
    if (minor == 12 && dict & 1) {
        return (struct attributes){keys, dict + 1};
    }
    if (minor >= 13 && !dict) {
        uintptr_t size = probe_word(probe, type + TYPE_BASIC_SIZE);
        return (struct attributes){keys, object + size + (uintptr_t)values_offset(minor)};
    }
    return of_dict(probe, dict);
}

struct entries {
    uintptr_t first;
    uintptr_t size; // of one
    uintptr_t count;
    uintptr_t key_offset;
};

// A table of hashes, as many bytes as its size needs, then the entries in the order of insertion.
static struct entries find_entries(struct probe *probe, uintptr_t keys)
{
    struct entries entries = {.size = 3 * WORD, .key_offset = WORD};
    if (interpreter.layout.minor <= 10) {
        uintptr_t size = probe_word(probe, keys + WORD);
        uintptr_t width = size <= 0xff ? 1 : size <= 0xffff ? 2 : 4;
        entries.count = probe_word(probe, keys + 4 * WORD);
        entries.first = keys + 5 * WORD + size * width;
        return entries;
    }
    uint8_t log2_bytes = 0;
    uint8_t kind = KEYS_GENERAL;
    probe_copy(probe, &log2_bytes, keys + 9, 1);
    probe_copy(probe, &kind, keys + 10, 1);
    entries.count = probe_word(probe, keys + 3 * WORD);
    entries.first = keys + 4 * WORD + ((uintptr_t)1 << (log2_bytes & 31));
    if (kind != KEYS_GENERAL) {
        entries.size = 2 * WORD;
        entries.key_offset = 0;
    }
    return entries;
}

static uintptr_t find_attribute(struct probe *probe, uintptr_t object, const char *name)
{
    struct attributes attributes = of_object(probe, object);
    struct entries entries = find_entries(probe, attributes.keys);
    for (uintptr_t i = 0; i < entries.count && i < ATTRIBUTES_MAX; i++) {
        uintptr_t key = entries.first + i * entries.size + entries.key_offset;
        if (text_is(probe, probe_word(probe, key), name)) {
            return probe_word(probe, attributes.values ? attributes.values + i * WORD : key + WORD);
        }
    }
    return 0;
}

static void send(struct ring *ring, const struct text_piece *name, int32_t tid)
{
    uint32_t max = NAME_POINTS_MAX * name->width;
    uint32_t len = name->len < max ? name->len : max;
    struct record_thread_name *record =
        ring_reserve(ring, RECORD_THREAD_NAME, sizeof *record + len);
    if (record) {
        record->tid = tid;
        record->name_len = len;
        record->name_width = name->width;
        memset(record->reserved, 0, sizeof record->reserved);
        memcpy(record + 1, (const void *)name->data, len);
        ring_commit(record);
    }
}

void thread_name_send(struct ring *ring, uintptr_t outermost_frame, int32_t tid)
{
    const struct layout *layout = &interpreter.layout;
    struct probe probe = {0};
    uintptr_t code = probe_word(&probe, outermost_frame + (uintptr_t)layout->frame_code) & TAG_MASK;
    if (!codes_is_code(&probe, code) ||
        !text_is(&probe, probe_word(&probe, code + (uintptr_t)layout->code_name), "_bootstrap")) {
        return;
    }
    uintptr_t local = outermost_frame + (uintptr_t)locals_offset(layout->minor);
    uintptr_t object = probe_word(&probe, local) & TAG_MASK;
    uintptr_t name = object ? find_attribute(&probe, object, "_name") : 0;
    struct text_piece piece;
    if (name && text_find(&probe, name, &piece)) {
        send(ring, &piece, tid);
    }
}
