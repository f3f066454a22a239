// SPDX-License-Identifier: Apache-2.0
#include "render/listing.h"

#include <string.h>

#include "render/entry.h"

#define DECIMALS 6

void listing_tsv(const struct profile *profile, const struct listing_options *options,
                 struct text *out)
{
    struct entry_list entries = entry_list_of(profile, options->key, options->max);
    struct entry_reader reader = {.profile = profile};
    text_add(out, "file\tline");
    for (size_t i = 0; i < ENTRY_VALUES; i++) {
        if (entry_has(profile, i)) {
            text_format(out, "\t%s", entry_value_names[i]);
        }
    }
    text_add(out, "\tsource\n");
    for (size_t i = 0; i < entries.count; i++) {
        const struct entry *entry = &entries.list[i];
        double values[ENTRY_VALUES];
        entry_values(profile, entry->line, values);
        entry_add_plain(out, entry->file->path, strlen(entry->file->path));
        text_format(out, "\t%d", entry->line->number);
        for (size_t j = 0; j < ENTRY_VALUES; j++) {
            if (entry_has(profile, j)) {
                text_format(out, "\t%.*f", DECIMALS, values[j]);
            }
        }
        text_add_char(out, '\t');
        entry_add_source(out, &reader, entry, 0);
        text_add_char(out, '\n');
    }
    entry_reader_clear(&reader);
    entry_list_clear(&entries);
}
