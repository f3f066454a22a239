// SPDX-License-Identifier: Apache-2.0
// Operators of the viewer form: what the program's own trace says.

#include "render/viewer_part.h"

#define SECOND_DECIMALS 9

static void write_operator(struct viewer *viewer, const struct profile_operator *one)
{
    writer_begin_object(viewer->writer);
    viewer_real(viewer, "count", (double)one->count, 0);
    viewer_text(viewer, "file", one->file);
    viewer_bool(viewer, "is_device", one->is_device);
    viewer_integer(viewer, "line", one->line);
    viewer_text(viewer, "name", one->name);
    viewer_real(viewer, "seconds", one->seconds, SECOND_DECIMALS);
    writer_end_object(viewer->writer);
}

void viewer_write_operators(struct viewer *viewer)
{
    const struct profile_operators *operators = &viewer->profile->operators;
    if (operators->count == 0) {
        return;
    }
    writer_key(viewer->writer, "operators");
    writer_begin_list(viewer->writer);
    for (size_t i = 0; i < operators->count; i++) {
        write_operator(viewer, &operators->list[i]);
    }
    writer_end_list(viewer->writer);
    viewer_real(viewer, "operators_left_out", (double)operators->left_out, 0);
}
