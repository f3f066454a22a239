// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/text.h"

#include <string.h>

#include "agent/cpython/interpreter.h"

bool text_find(struct probe *probe, uintptr_t object, struct text_piece *piece)
{
    const struct layout *layout = &interpreter.layout;
    uint32_t state;
    struct layout_text text;
    uintptr_t length = probe_word(probe, object + layout->text_length);
    if (!probe_copy(probe, &state, object + layout->text_state, sizeof state) ||
        !layout_find_text(layout, state, length, &text)) {
        return false;
    }
    piece->data = object + text.offset;
    piece->len = text.len;
    piece->width = text.width;
    return probe_is_readable(probe, piece->data, piece->len);
}

bool text_is(struct probe *probe, uintptr_t object, const char *wanted)
{
    struct text_piece piece;
    size_t len = strlen(wanted);
    return text_find(probe, object, &piece) && piece.width == 1 && piece.len == len &&
           memcmp((const void *)piece.data, wanted, len) == 0;
}
