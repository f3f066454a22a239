// SPDX-License-Identifier: Apache-2.0
// The outline of a source text that may be anything, and where it holds locks.
#include <stdlib.h>

#include "fuzz.h"
#include "profile/import.h"
#include "profile/lock_span.h"
#include "profile/outline.h"

static void read_locks(const struct source *source)
{
    struct block_list blocks;
    struct lock_span_list locks;
    block_list_read(&blocks, source);
    lock_span_list_read(&locks, source, &blocks);
    for (size_t i = 0; i < locks.count; i++) {
        const struct lock_span *span = &locks.spans[i];
        if (!span->lock[0] || span->taken_first < 1 || span->held_first < span->taken_first ||
            span->held_last < span->taken_first || span->held_last > (int)source->line_count ||
            span->taken_last > (int)source->line_count) {
            abort();
        }
    }
    lock_span_list_clear(&locks);
    block_list_clear(&blocks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct source source;
    source_from_text(&source, (const char *)data, size);
    struct outline *outline = outline_new(&source);
    for (int line = 0; line <= (int)source.line_count + 1; line++) {
        struct outline_place place = outline_find(outline, line);
        int first_line;
        char *name = outline_enclosing_function(outline, line, &first_line);
        if (place.region.first > line || place.region.last < line || (name && first_line > line) ||
            place.statement.first > line || place.statement.last < line) {
            abort();
        }
        free(name);
        free(outline_qualified_name(outline, line, "<lambda>"));
    }
    struct writer writer;
    writer_init(&writer, -1);
    import_write_native(&writer, &source);
    writer_clear(&writer);
    outline_free(outline);
    read_locks(&source);
    source_clear(&source);
    return 0;
}
