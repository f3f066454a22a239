// SPDX-License-Identifier: Apache-2.0
#include "profile/import.h"

void import_write_native(struct writer *writer, const struct source *source)
{
    (void)source;
    writer_begin_list(writer);
    writer_end_list(writer);
}
