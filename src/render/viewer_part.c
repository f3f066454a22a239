// SPDX-License-Identifier: Apache-2.0
#include "render/viewer_part.h"

#include <math.h>
#include <string.h>

#include "profile/record.h"

#define WHOLE_MAX 9e15 // that every reader of JSON can have

uint32_t viewer_string(struct viewer *viewer, const char *text)
{
    return names_add(&viewer->strings, text ? text : "", text ? strlen(text) : 0);
}

void viewer_number(struct viewer *viewer, double value, int decimals)
{
    if (decimals > 0) {
        writer_real(viewer->writer, value, decimals);
    } else {
        writer_integer(viewer->writer, llround(fmin(WHOLE_MAX, fmax(-WHOLE_MAX, value))));
    }
}

void viewer_real(struct viewer *viewer, const char *key, double value, int decimals)
{
    writer_key(viewer->writer, key);
    viewer_number(viewer, value, decimals);
}

void viewer_integer(struct viewer *viewer, const char *key, int64_t value)
{
    writer_key(viewer->writer, key);
    writer_integer(viewer->writer, value);
}

void viewer_text(struct viewer *viewer, const char *key, const char *text)
{
    writer_key(viewer->writer, key);
    writer_text(viewer->writer, text);
}

void viewer_bool(struct viewer *viewer, const char *key, bool value)
{
    writer_key(viewer->writer, key);
    writer_bool(viewer->writer, value);
}

void viewer_ending(struct viewer *viewer, const struct profile_ending *ended)
{
    writer_key(viewer->writer, "ended");
    writer_begin_object(viewer->writer);
    viewer_text(viewer, "how", ended->how ? ended->how : "running");
    viewer_integer(viewer, "status", ended->status);
    writer_end_object(viewer->writer);
}

void viewer_waits(struct viewer *viewer, const struct profile_times *times)
{
    writer_key(viewer->writer, "wait_s");
    record_write_waits(viewer->writer, times);
}

void viewer_column(struct viewer *viewer, const char *key, size_t count, int decimals,
                   double (*value)(void *context, size_t row), void *context)
{
    writer_key(viewer->writer, key);
    writer_begin_list(viewer->writer);
    for (size_t i = 0; i < count; i++) {
        viewer_number(viewer, value(context, i), decimals);
    }
    writer_end_list(viewer->writer);
}
