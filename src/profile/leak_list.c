// SPDX-License-Identifier: Apache-2.0
#include "profile/leak_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/field.h"

#define LIKELIHOOD_DECIMALS 6
#define VELOCITY_DECIMALS   6
#define KEY_SIZE            12 // of an int

struct listed {
    char key[KEY_SIZE];
    const struct profile_leak *leak;
};

// By text, as all keys are: "10" comes before "9".
static int compare_keys(const void *left, const void *right)
{
    return strcmp(((const struct listed *)left)->key, ((const struct listed *)right)->key);
}

static void write_leak(struct writer *writer, const struct listed *listed)
{
    writer_key(writer, listed->key);
    writer_begin_object(writer);
    writer_key(writer, "likelihood");
    writer_real(writer, listed->leak->likelihood, LIKELIHOOD_DECIMALS);
    writer_key(writer, "velocity_mb_s");
    writer_real(writer, listed->leak->velocity_mb_s, VELOCITY_DECIMALS);
    writer_end_object(writer);
}

void leak_list_write(struct writer *writer, const struct profile_file *file)
{
    struct listed *list = mem_alloc((file->line_count + 1) * sizeof *list);
    size_t count = 0;
    for (size_t i = 0; i < file->line_count; i++) {
        const struct profile_line *line = &file->lines[i];
        if (line->leak.likelihood > 0) {
            snprintf(list[count].key, KEY_SIZE, "%d", line->number);
            list[count++].leak = &line->leak;
        }
    }
    qsort(list, count, sizeof *list, compare_keys);
    writer_key(writer, "leaks");
    writer_begin_object(writer);
    for (size_t i = 0; i < count; i++) {
        write_leak(writer, &list[i]);
    }
    writer_end_object(writer);
    free(list);
}

void leak_list_load(const json_t *leaks, struct profile_file *file)
{
    const char *key;
    json_t *object;
    json_object_foreach((json_t *)leaks, key, object)
    {
        char *end;
        long number = strtol(key, &end, 10);
        double likelihood = fmin(1, field_real(object, "likelihood"));
        if (*end == '\0' && number > 0 && number <= PROFILE_LINE_MAX && likelihood > 0) {
            profile_line(file, (int)number)->leak =
                (struct profile_leak){likelihood, field_real(object, "velocity_mb_s")};
        }
    }
}
