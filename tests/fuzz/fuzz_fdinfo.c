// SPDX-License-Identifier: Apache-2.0
// Any text in the place of a driver's fdinfo, and of a native function's name: bounded, and sane.
#include <stdlib.h>
#include <string.h>

#include "accel/engine_time.h"
#include "collect/operator_name.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    struct fdinfo_client client;
    struct engine_time time = {0};
    if (fdinfo_parse(text, &client)) {
        for (int i = 0; i < 3; i++) {
            double busy = engine_time_busy(&time, 1, &client, i);
            if (!(busy <= 1) || client.engine_count > FDINFO_ENGINE_MAX) {
                abort();
            }
            client.engines[0].busy *= 3;
        }
    }
    engine_time_clear(&time);
    struct text name = {0};
    if (operator_name(&name, text) && (name.len == 0 || name.len > size + 16)) {
        abort();
    }
    text_clear(&name);
    free(text);
    return 0;
}
