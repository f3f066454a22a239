// SPDX-License-Identifier: Apache-2.0
#include "scenery.h"

#include <string.h>

#include "base/mem.h"
#include "profile/finding.h"
#include "unit.h"

struct profile *scenery_new(const char *source)
{
    struct profile *profile = profile_new();
    profile->format_version = 1;
    profile->elapsed_s = 10;
    profile->totals.python_s = 9.5;
    profile->totals.system_s = 0.5;
    profile->quality.cpu_samples = 1000;
    profile_file(profile, "/x/prog.py")->source = mem_copy_text(source);
    return profile;
}

struct profile_line *line_at(struct profile *profile, int number)
{
    return profile_line(profile_file(profile, "/x/prog.py"), number);
}

struct profile_thread *add_thread(struct profile *profile, uint64_t thread_id)
{
    profile->threads = mem_grow(profile->threads, profile->thread_count, &profile->thread_capacity,
                                sizeof *profile->threads);
    struct profile_thread *thread = &profile->threads[profile->thread_count++];
    *thread = (struct profile_thread){.pid = 1, .thread_id = thread_id, .end_s = 10};
    return thread;
}

uint32_t add_frame(struct profile *profile, int line, const char *module)
{
    const char *file = module ? module : "/x/prog.py";
    for (size_t i = 0; i < profile->frame_count; i++) {
        if (profile->frames[i].line == line && strcmp(profile->frames[i].file, file) == 0) {
            return (uint32_t)i;
        }
    }
    profile->frames = mem_grow(profile->frames, profile->frame_count, &profile->frame_capacity,
                               sizeof *profile->frames);
    profile->frames[profile->frame_count] =
        (struct profile_frame){.is_native = module != NULL,
                               .name = mem_copy_text(module ? "crunch" : "work"),
                               .file = mem_copy_text(file),
                               .line = line};
    return (uint32_t)profile->frame_count++;
}

struct profile_stack *add_samples(struct profile *profile, uint64_t thread_id, int line,
                                  const char *module)
{
    profile->combined = mem_grow(profile->combined, profile->combined_count,
                                 &profile->combined_capacity, sizeof *profile->combined);
    profile->timeline = mem_grow(profile->timeline, profile->timeline_count,
                                 &profile->timeline_capacity, sizeof *profile->timeline);
    profile->timeline[profile->timeline_count++] = (struct profile_run){
        .stack = (uint32_t)profile->combined_count, .count = 10, .thread_id = thread_id};
    struct profile_stack *stack = &profile->combined[profile->combined_count++];
    *stack = (struct profile_stack){.frames = mem_alloc(2 * sizeof(uint32_t)),
                                    .hits = 10,
                                    .python_s = module ? 0 : 1,
                                    .native_s = module ? 1 : 0};
    stack->frames[stack->frame_count++] = add_frame(profile, line, NULL);
    if (module) {
        stack->frames[stack->frame_count++] = add_frame(profile, 0, module);
    }
    return stack;
}

const struct finding *find(struct profile *profile, const char *id)
{
    finding_search(profile);
    for (size_t i = 0; i < profile->findings.count; i++) {
        if (strcmp(profile->findings.items[i].id, id) == 0) {
            return &profile->findings.items[i];
        }
    }
    return NULL;
}

void assert_says(const struct finding *finding, const char *words)
{
    assert_non_null(finding);
    if (!strstr(finding->sentence, words)) {
        fail_msg("'%s' is not in '%s'", words, finding->sentence);
    }
    assert_true(finding->how_measured[0] && finding->next_step[0]);
}
