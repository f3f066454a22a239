// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/text.h"

#include <string.h>

#include "agent/cpython/interpreter.h"

bool text_find(struct probe *probe, uintptr_t object, struct text_piece *piece)
{
    const struct layout *layout = &interpreter.layout;
    uint32_t state;
    uintptr_t length = probe_word(probe, object + layout->text_length);
    if (!probe_copy(probe, &state, object + layout->text_state, sizeof state)) {
        return false;
    }
    uint8_t width = state >> 2 & 7;
    bool is_compact = state >> 5 & 1;
    bool is_ascii = state >> 6 & 1;
    if (!is_compact || (width != 1 && width != 2 && width != 4)) {
        return false;
    }
    length = length < TEXT_POINTS_MAX ? length : TEXT_POINTS_MAX;
    piece->data = object + (is_ascii ? layout->text_ascii_size : layout->text_compact_size);
    piece->len = (uint32_t)length * width;
    piece->width = width;
    return probe_is_readable(probe, piece->data, piece->len);
}

bool text_is(struct probe *probe, uintptr_t object, const char *wanted)
{
    struct text_piece piece;
    size_t len = strlen(wanted);
    return text_find(probe, object, &piece) && piece.width == 1 && piece.len == len &&
           memcmp((const void *)piece.data, wanted, len) == 0;
}
