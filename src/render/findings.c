// SPDX-License-Identifier: Apache-2.0
#include "render/findings.h"

#include <string.h>

#define NUMBER_WIDTH 4

void findings_line(struct text *out, const struct finding *finding, bool is_utf8)
{
    static const char sign[] = "±";
    const char *rest = finding->sentence;
    const char *found;
    while (!is_utf8 && (found = strstr(rest, sign)) != NULL) {
        text_add_bytes(out, rest, (size_t)(found - rest));
        text_add(out, "+/-");
        rest = found + strlen(sign);
    }
    text_add(out, rest);
}

static void add_one(struct canvas *canvas, const struct finding *finding, size_t number)
{
    struct text text = {0};
    text_format(&text, "%zu ", number);
    paint_right(canvas, finding->severity == FINDING_high ? PAINT_HOT : PAINT_TITLE, text.data,
                NUMBER_WIDTH);
    text.len = 0;
    findings_line(&text, finding, canvas->is_utf8);
    paint_wrapped(canvas, finding->severity == FINDING_info ? PAINT_DIM : PAINT_PLAIN, text.data,
                  NUMBER_WIDTH, NUMBER_WIDTH);
    text_clear(&text);
}

void findings_render(struct canvas *canvas, const struct finding_list *list)
{
    if (list->count == 0) {
        paint_paragraph(canvas, PAINT_PLAIN, FINDING_NONE);
        return;
    }
    paint_text(canvas, PAINT_TITLE, " What stands out:\n");
    for (size_t i = 0; i < list->count; i++) {
        add_one(canvas, &list->items[i], i + 1);
    }
    if (list->left_out > 0) {
        struct text text = {0};
        text_format(&text, "and %zu more of less weight", list->left_out);
        paint_paragraph(canvas, PAINT_DIM, text.data);
        text_clear(&text);
    }
}
