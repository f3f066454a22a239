// SPDX-License-Identifier: Apache-2.0
#include "collect/remote_code.h"

#include <stdlib.h>

#include "base/mem.h"

#define LINE_TABLE_MAX (256u * 1024)

// A string or bytes object, found but not copied yet.
struct piece {
    uint64_t data;
    size_t len; // in bytes
    uint8_t width;
};

static bool find_text(struct remote_memory *memory, const struct layout *layout, uint64_t object,
                      struct piece *piece)
{
    uint32_t state;
    struct layout_text text;
    uint64_t length = remote_memory_word(memory, object + (uint64_t)layout->text_length);
    if (!remote_memory_read(memory, object + (uint64_t)layout->text_state, &state, sizeof state) ||
        !layout_find_text(layout, state, length, &text)) {
        return false;
    }
    *piece = (struct piece){object + (uint64_t)text.offset, text.len, text.width};
    return true;
}

static struct piece find_bytes(struct remote_memory *memory, const struct layout *layout,
                               uint64_t object)
{
    uint64_t size = remote_memory_word(memory, object + (uint64_t)layout->bytes_size);
    size = size < LINE_TABLE_MAX ? size : LINE_TABLE_MAX;
    return (struct piece){object + (uint64_t)layout->bytes_data, size, 1};
}

static bool copy(struct remote_memory *memory, const struct piece *piece, uint8_t **to)
{
    bool is_copied = piece->len == 0 || remote_memory_read(memory, piece->data, *to, piece->len);
    *to += piece->len;
    return is_copied;
}

static int32_t read_int(struct remote_memory *memory, uint64_t address)
{
    int32_t value = 0;
    return remote_memory_read(memory, address, &value, sizeof value) ? value : 0;
}

int remote_code_first_line(struct remote_memory *memory,
                           const struct remote_interpreter *interpreter, uint64_t code)
{
    return read_int(memory, code + (uint64_t)interpreter->layout.code_first_line);
}

static uint64_t field(struct remote_memory *memory, uint64_t object, int offset)
{
    return remote_memory_word(memory, object + (uint64_t)offset);
}

bool remote_code_read(struct remote_memory *memory, const struct remote_interpreter *interpreter,
                      uint64_t code, struct record_code **record, size_t *len)
{
    const struct layout *layout = &interpreter->layout;
    bool is_qualified = layout->code_qualname >= 0;
    int name_offset = is_qualified ? layout->code_qualname : layout->code_name;
    struct piece filename;
    struct piece name;
    if (!find_text(memory, layout, field(memory, code, layout->code_filename), &filename) ||
        !find_text(memory, layout, field(memory, code, name_offset), &name)) {
        return false;
    }
    struct piece lines = find_bytes(memory, layout, field(memory, code, layout->code_line_table));
    *len = sizeof **record + filename.len + name.len + lines.len;
    *record = mem_alloc(*len);
    **record = (struct record_code){
        .address = code,
        .first_line = remote_code_first_line(memory, interpreter, code),
        .flags = (uint32_t)read_int(memory, code + (uint64_t)layout->code_flags),
        .line_table_len = (uint32_t)lines.len,
        .filename_len = (uint32_t)filename.len,
        .name_len = (uint32_t)name.len,
        .filename_width = filename.width,
        .name_width = name.width,
        .name_is_qualified = is_qualified,
    };
    uint8_t *to = (uint8_t *)(*record + 1);
    if (copy(memory, &filename, &to) && copy(memory, &name, &to) && copy(memory, &lines, &to)) {
        return true;
    }
    free(*record);
    return false;
}
