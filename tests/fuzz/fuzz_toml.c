// SPDX-License-Identifier: Apache-2.0
// A TOML file of any content: it is read or refused with a sentence, and nothing is lost.
#include <stdlib.h>

#include "cli/config_toml.h"
#include "cli/settings.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct settings settings = {0};
    struct text notices = {0};
    struct text content = {0};
    struct error err = {0};
    struct config config = {
        .path = "c.toml", .table = &settings_options, .settings = &settings, .notices = &notices};
    text_add(&content, "");
    text_add_bytes(&content, (const char *)data, size);
    bool has_table = config_toml_has_table(&content);
    bool is_read = config_read_toml(&config, &content, &err);
    if ((!is_read && !err.text[0]) || (is_read && notices.len > 0 && !has_table)) {
        abort();
    }
    text_clear(&content);
    text_clear(&notices);
    settings_clear(&settings);
    return 0;
}
