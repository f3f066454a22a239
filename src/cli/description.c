// SPDX-License-Identifier: Apache-2.0
#include "cli/description.h"

#include <string.h>

#include "base/mem.h"
#include "launch/path.h"

#define NS_PER_S 1e9

static char **split_list(const char *list, size_t *count)
{
    char **parts = NULL;
    size_t capacity = 0;
    *count = 0;
    while (list && *list) {
        size_t len = strcspn(list, ",");
        const char *part = list + strspn(list, " ");
        if (part < list + len) {
            parts = mem_grow(parts, *count, &capacity, sizeof *parts);
            parts[(*count)++] = mem_copy_bytes(part, (size_t)(list + len - part));
        }
        list += len + (list[len] == ',');
    }
    return parts;
}

void description_make_filter(struct filter *filter, const struct settings *settings,
                             const struct target *target)
{
    *filter = (struct filter){
        .program_dir =
            settings->program_path ? path_absolute(settings->program_path) : target->directory,
        .program_name = target->code_name,
        .has_all = settings->profiles_all,
        .has_system_libraries = settings->profiles_system_libraries,
    };
    filter->only = split_list(settings->profile_only, &filter->only_count);
    filter->exclude = split_list(settings->profile_exclude, &filter->exclude_count);
}

// `first` and then `words`; without one where it is NULL.
static char **copy_words(const char *first, char **words, size_t count)
{
    size_t made = 0;
    char **copies = mem_alloc((count + 2) * sizeof *copies);
    if (first) {
        copies[made++] = mem_copy_text(first);
    }
    for (size_t i = 0; i < count; i++) {
        copies[made++] = mem_copy_text(words[i]);
    }
    return copies;
}

// Code given after -c is in no file: its text is on the command line.
static void add_own_source(const struct target *target, struct profile *profile)
{
    for (size_t i = 0; target->code && i < profile->file_count; i++) {
        struct profile_file *file = &profile->files[i];
        if (!file->source && strcmp(file->path, target->code_name) == 0) {
            file->source = mem_copy_text(target->code);
        }
    }
}

void description_add(const struct description *description, struct profile *profile)
{
    const struct target *target = description->target;
    profile->program = mem_copy_text(target->program);
    profile->program_dir = mem_copy_text(description->filter->program_dir);
    profile->entrypoint_dir = mem_copy_text(target->entry_dir);
    profile->arg_count = (size_t)(target->word_count - target->first_arg);
    profile->args = copy_words(NULL, target->words + target->first_arg, profile->arg_count);
    profile->command_count = (size_t)target->word_count + 1;
    profile->command = copy_words(description->name, target->words, (size_t)target->word_count);
    if (!profile->python_executable) {
        profile->python_executable = path_absolute(description->executable);
    }
    profile->start_time_absolute_s = description->start_unix_s;
    profile->start_time_perf_s = (double)description->start_ns / NS_PER_S;
    profile->has_virtual_time = description->settings->has_virtual_time;
    profile->cpu_percent_threshold = description->settings->cpu_percent_threshold;
    add_own_source(target, profile);
}
