// SPDX-License-Identifier: Apache-2.0
// Any bytes are a document or refused with a sentence, and whatever the document has is read as
// events.
#include <stdlib.h>

#include "fuzz.h"
#include "profile/trace_event.h"
#include "profile/xplane.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {0};
    json_t *root = NULL;
    bool is_read = xplane_read(&root, (const char *)data, size, &err);
    if (is_read ? !json_is_array(json_object_get(root, "traceEvents")) : root || !err.text[0]) {
        abort();
    }
    struct trace_events events = {0};
    trace_events_read(&events, root);
    for (size_t i = 0; i < events.count; i++) {
        if (!events.list[i].name || !(events.list[i].length_us >= 0)) {
            abort();
        }
    }
    trace_events_clear(&events);
    json_decref(root);
    return 0;
}
