// SPDX-License-Identifier: Apache-2.0
// The outline of a source text that may be anything.
#include <stdlib.h>

#include "fuzz.h"
#include "profile/import.h"
#include "profile/outline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct source source;
    source_from_text(&source, (const char *)data, size);
    struct outline *outline = outline_new(&source);
    for (int line = 0; line <= (int)source.line_count + 1; line++) {
        struct outline_place place = outline_find(outline, line);
        int first_line;
        char *name = outline_enclosing_function(outline, line, &first_line);
        if (place.region.first > line || place.region.last < line || (name && first_line > line)) {
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
    source_clear(&source);
    return 0;
}
