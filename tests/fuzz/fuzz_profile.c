// SPDX-License-Identifier: Apache-2.0
// The profile reader, and what shows a profile: any bytes may be in the file.
#include <stdlib.h>

#include "fuzz.h"
#include "profile/document.h"
#include "profile/load.h"
#include "render/terminal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct profile *profile;
    struct error err;
    if (!profile_parse(&profile, (const char *)data, size, "fuzz", &err)) {
        return 0;
    }
    struct text out = {0};
    terminal_render(profile, &(struct terminal_options){.width = size % 160, .is_utf8 = size % 2},
                    &out);
    text_clear(&out);
    struct writer writer;
    writer_init(&writer, -1);
    document_write(&writer, profile);
    struct profile *again;
    // What was written from anything that could be read can be read.
    if (!writer_finish(&writer) ||
        !profile_parse(&again, writer.text.data, writer.text.len, "fuzz", &err)) {
        abort();
    }
    writer_clear(&writer);
    profile_free(again);
    profile_free(profile);
    return 0;
}
