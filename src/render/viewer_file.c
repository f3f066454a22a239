// SPDX-License-Identifier: Apache-2.0
// Files of the viewer form.

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/filter.h"
#include "profile/percent.h"
#include "render/viewer_part.h"

#define SECOND_DECIMALS 6

// Blank lines alone are no source text: a profile without any has them in its place.
static size_t count_lines(const char *source)
{
    size_t count = 0;
    bool has_text = false;
    for (; source && *source; source++) {
        count += *source == '\n';
        has_text |= !strchr(" \t\r\n\f", *source);
    }
    return has_text ? count : 0;
}

// All files are there, so that indices hold.
struct file_row {
    double at_peak_mb;
    double idle_s;
    double is_mine;
    double native_s;
    double path;
    double python_s;
    double source_lines;
    double system_s;
    double wait_s;
};

static struct file_row file_row(struct viewer *viewer, const struct profile_file *file)
{
    struct profile_times times = percent_file_times(file);
    return (struct file_row){
        .at_peak_mb = profile_file_at_peak_mb(file),
        .idle_s = viewer->profile->has_virtual_time ? 0 : times.idle_s,
        .is_mine = filter_sounds_like_library(file->path) ? 0 : 1,
        .native_s = times.native_s,
        .path = viewer_string(viewer, file->path),
        .python_s = times.python_s,
        .source_lines = (double)count_lines(file->source),
        .system_s = times.system_s,
        .wait_s = profile_times_wait_s(&times),
    };
}

void viewer_write_files(struct viewer *viewer)
{
    static const char *const names[] = {"at_peak_mb",   "idle_s",   "is_mine",
                                        "native_s",     "path",     "python_s",
                                        "source_lines", "system_s", "wait_s"};
    size_t count = viewer->profile->file_count;
    struct file_row *rows = mem_alloc((count + 1) * sizeof *rows);
    for (size_t i = 0; i < count; i++) {
        rows[i] = file_row(viewer, &viewer->profile->files[viewer->files[i]]);
    }
    _Static_assert(sizeof *rows == sizeof names / sizeof *names * sizeof(double), "one name each");
    writer_key(viewer->writer, "files");
    writer_begin_object(viewer->writer);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        writer_key(viewer->writer, names[i]);
        writer_begin_list(viewer->writer);
        for (size_t j = 0; j < count; j++) {
            writer_real(viewer->writer, ((const double *)&rows[j])[i], SECOND_DECIMALS);
        }
        writer_end_list(viewer->writer);
    }
    writer_end_object(viewer->writer);
    free(rows);
}
