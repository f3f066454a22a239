// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/codes.h"

#include <stdatomic.h>
#include <string.h>

#include "agent/cpython/interpreter.h"
#include "agent/cpython/text.h"
#include "agent/session.h"

#define SLOT_COUNT     8192u
#define PROBE_LENGTH   8u
#define BEING_WRITTEN  1u
#define LINE_TABLE_MAX (256u * 1024)

// Addresses are used again: three more words tell one code object from its successor.
struct slot {
    _Atomic uintptr_t code;
    uintptr_t filename;
    uintptr_t line_table;
    int32_t first_line;
    uint32_t code_id;
    uint64_t generation;
};

static struct slot slots[SLOT_COUNT];
static _Atomic uint32_t last_id;

bool codes_is_code(struct probe *probe, uintptr_t object)
{
    return object != 0 && (object & 7) == 0 &&
           probe_is_readable(probe, object, interpreter.code_extent) &&
           probe_seen_word(object + interpreter.layout.object_type) == interpreter.code_type;
}

static bool find_bytes(struct probe *probe, uintptr_t object, struct text_piece *piece)
{
    const struct layout *layout = &interpreter.layout;
    uintptr_t size = probe_word(probe, object + layout->bytes_size);
    piece->data = object + layout->bytes_data;
    piece->len = (uint32_t)(size < LINE_TABLE_MAX ? size : LINE_TABLE_MAX);
    piece->width = 1;
    return probe_is_readable(probe, piece->data, piece->len);
}

static int32_t read_int(struct probe *probe, uintptr_t address)
{
    int32_t value = 0;
    probe_copy(probe, &value, address, sizeof value);
    return value;
}

static bool send(struct ring *ring, struct probe *probe, uintptr_t code, uint32_t code_id)
{
    const struct layout *layout = &interpreter.layout;
    bool is_qualified = layout->code_qualname >= 0;
    int name_offset = is_qualified ? layout->code_qualname : layout->code_name;
    struct text_piece filename;
    struct text_piece name;
    struct text_piece lines;
    if (!text_find(probe, probe_word(probe, code + layout->code_filename), &filename) ||
        !text_find(probe, probe_word(probe, code + name_offset), &name) ||
        !find_bytes(probe, probe_word(probe, code + layout->code_line_table), &lines)) {
        return false;
    }
    size_t len = sizeof(struct record_code) + filename.len + name.len + lines.len;
    struct record_code *record = ring_reserve(ring, RECORD_CODE, len);
    if (!record) {
        return false;
    }
    record->address = code;
    record->code_id = code_id;
    record->first_line = read_int(probe, code + layout->code_first_line);
    record->flags = (uint32_t)read_int(probe, code + layout->code_flags);
    record->line_table_len = lines.len;
    record->filename_len = filename.len;
    record->name_len = name.len;
    record->filename_width = filename.width;
    record->name_width = name.width;
    record->name_is_qualified = is_qualified;
    memset(record->reserved, 0, sizeof record->reserved);
    uint8_t *text = (uint8_t *)(record + 1);
    memcpy(text, (const void *)filename.data, filename.len);
    memcpy(text + filename.len, (const void *)name.data, name.len);
    memcpy(text + filename.len + name.len, (const void *)lines.data, lines.len);
    ring_commit(record);
    return true;
}

static struct slot slot_of(uintptr_t code)
{
    const struct layout *layout = &interpreter.layout;
    return (struct slot){
        .filename = probe_seen_word(code + layout->code_filename),
        .line_table = probe_seen_word(code + layout->code_line_table),
        .first_line = probe_seen_int(code + layout->code_first_line),
        .generation = session.generation,
    };
}

static bool is_same(const struct slot *slot, const struct slot *wanted)
{
    return slot->filename == wanted->filename && slot->line_table == wanted->line_table &&
           slot->first_line == wanted->first_line && slot->generation == wanted->generation;
}

static void store(struct slot *slot, uintptr_t found, uintptr_t code, const struct slot *wanted)
{
    // Whoever finds the slot being written sends the code object once more: no harm, no wait.
    if (found & BEING_WRITTEN ||
        !atomic_compare_exchange_strong(&slot->code, &found, code | BEING_WRITTEN)) {
        return;
    }
    slot->filename = wanted->filename;
    slot->line_table = wanted->line_table;
    slot->first_line = wanted->first_line;
    slot->generation = wanted->generation;
    slot->code_id = wanted->code_id;
    atomic_store_explicit(&slot->code, code, memory_order_release);
}

uint32_t codes_id(struct ring *ring, struct probe *probe, uintptr_t code)
{
    struct slot wanted = slot_of(code);
    size_t hash = (size_t)((code >> 4) * 0x9e3779b97f4a7c15u >> 40);
    struct slot *place = &slots[hash % SLOT_COUNT]; // overwritten if all its neighbours are taken
    uintptr_t found = 0;
    for (unsigned i = 0; i < PROBE_LENGTH; i++) {
        struct slot *slot = &slots[(hash + i) % SLOT_COUNT];
        found = atomic_load_explicit(&slot->code, memory_order_acquire);
        if (found == code && is_same(slot, &wanted)) {
            return slot->code_id;
        }
        if (found == 0 || (found & ~(uintptr_t)BEING_WRITTEN) == code) {
            place = slot;
            break;
        }
    }
    found = atomic_load_explicit(&place->code, memory_order_relaxed);
    wanted.code_id = atomic_fetch_add(&last_id, 1) + 1;
    if (!send(ring, probe, code, wanted.code_id)) {
        session_count(COUNTER_codes_unsent, 1);
        return 0;
    }
    store(place, found, code, &wanted);
    return wanted.code_id;
}
