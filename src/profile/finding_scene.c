// SPDX-License-Identifier: Apache-2.0
#include "profile/finding_scene.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "profile/amount.h"

#define HIGH_WEIGHT   0.3
#define MEDIUM_WEIGHT 0.1

struct scene_line scene_heaviest(const struct scene *scene,
                                 double (*weigh)(const struct profile_line *line))
{
    const struct profile *profile = scene->profile;
    struct scene_line heaviest = {0};
    double most = 0;
    for (size_t i = 0; i < profile->file_count; i++) {
        for (size_t j = 0; j < profile->files[i].line_count; j++) {
            const struct profile_line *line = &profile->files[i].lines[j];
            if (weigh(line) > most) {
                most = weigh(line);
                heaviest = (struct scene_line){line, i};
            }
        }
    }
    return heaviest;
}

static const struct source *source_of(struct scene *scene, size_t file)
{
    struct source *source = &scene->sources[file];
    if (!scene->has_source[file]) {
        const struct profile_file *from = &scene->profile->files[file];
        scene->has_source[file] = true;
        if (from->source) {
            source_from_text(source, from->source, strlen(from->source));
        } else {
            source_from_path(source, from->path);
        }
        block_list_read(&scene->blocks[file], source);
    }
    return source;
}

const struct block_list *scene_blocks(struct scene *scene, size_t file)
{
    source_of(scene, file);
    return &scene->blocks[file];
}

const struct lock_span_list *scene_locks(struct scene *scene, size_t file)
{
    const struct source *source = source_of(scene, file);
    if (!scene->has_locks[file]) {
        scene->has_locks[file] = true;
        lock_span_list_read(&scene->locks[file], source, &scene->blocks[file]);
    }
    return &scene->locks[file];
}

struct scene_line scene_of_frame(const struct scene *scene, const struct profile_frame *frame)
{
    const struct profile *profile = scene->profile;
    for (size_t i = 0; !frame->is_native && frame->file && i < profile->file_count; i++) {
        const struct profile_file *file = &profile->files[i];
        uint64_t known = map_get(&file->line_index, (uint64_t)frame->line);
        if (known && strcmp(file->path, frame->file) == 0) {
            return (struct scene_line){&file->lines[known - 1], i};
        }
    }
    return (struct scene_line){0};
}

void scene_text(struct scene *scene, size_t file, int number, struct text *out)
{
    const struct source *source = source_of(scene, file);
    out->len = 0;
    text_add(out, "");
    if (number < 1 || (size_t)number > source->line_count) {
        return;
    }
    const struct source_line *line = &source->lines[number - 1];
    size_t first = 0;
    size_t end = line->len;
    while (first < end && strchr(" \t", line->text[first])) {
        first++;
    }
    while (end > first && strchr(" \t\r\n", line->text[end - 1])) {
        end--;
    }
    text_add_bytes(out, line->text + first, end - first);
}

static bool runs_loop(const char *text)
{
    static const char *const words[] = {".run(", "run_until_complete(", "run_forever(", "run_app("};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strstr(text, words[i])) {
            return true;
        }
    }
    return false;
}

double scene_loop_idle_s(struct scene *scene)
{
    const struct profile *profile = scene->profile;
    struct text text = {0};
    double sum_s = 0;
    for (size_t i = 0; profile->await_s > 0 && i < profile->file_count; i++) {
        for (size_t j = 0; j < profile->files[i].line_count; j++) {
            const struct profile_line *line = &profile->files[i].lines[j];
            double waited_s = line->times.wait_s[PROFILE_WAIT_network];
            if (waited_s > 0) {
                scene_text(scene, i, line->number, &text);
                sum_s += text.len > 0 && runs_loop(text.data) ? waited_s : 0;
            }
        }
    }
    text_clear(&text);
    return sum_s;
}

double scene_cpu_error_s(const struct profile_times *times)
{
    return times->variance_s2 > 0 ? SCENE_QUANTILE * sqrt(times->variance_s2) : 0;
}

void scene_add_place(struct text *out, const struct scene *scene, struct scene_line where)
{
    const char *path = scene->profile->files[where.file].path;
    const char *slash = strrchr(path, '/');
    text_format(out, "%s:%d", slash ? slash + 1 : path, where.line->number);
}

void scene_add_size(struct text *out, double mb, double error_mb)
{
    amount_size(out, mb);
    if (error_mb >= 0.005 * mb) {
        text_add(out, " ± ");
        amount_size(out, error_mb);
    }
}

void scene_add_most(struct text *out, const struct scene *scene, struct scene_line where)
{
    if (where.line) {
        text_add(out, ", most of it at ");
        scene_add_place(out, scene, where);
    }
}

struct finding *finding_add(struct scene *scene, const char *id, double weight,
                            const struct text *sentence)
{
    struct finding_list *list = scene->findings;
    list->items = mem_grow(list->items, list->count, &list->capacity, sizeof *list->items);
    struct finding *finding = &list->items[list->count++];
    *finding = (struct finding){
        .id = mem_copy_text(id),
        .severity = weight >= HIGH_WEIGHT     ? FINDING_high
                    : weight >= MEDIUM_WEIGHT ? FINDING_medium
                                              : FINDING_low,
        .weight = fmin(1, weight),
        .sentence = mem_copy_text(sentence->data),
    };
    return finding;
}

void finding_evidence(struct finding *finding, const char *label, double value, const char *unit,
                      double error)
{
    if (finding->evidence_count < FINDING_EVIDENCE_MAX) {
        finding->evidence[finding->evidence_count++] =
            (struct finding_evidence){mem_copy_text(label), value, mem_copy_text(unit), error};
    }
}

// The name of the innermost function around a line; NULL: none.
static char *function_at(struct scene *scene, struct scene_line where)
{
    const struct block_list *blocks = scene_blocks(scene, where.file);
    int index = block_innermost(blocks, BLOCK_FUNCTION, where.line->number);
    const char *name = index >= 0 ? blocks->blocks[index].name : NULL;
    return name ? mem_copy_text(name) : NULL;
}

void finding_place(struct finding *finding, struct scene *scene, struct scene_line where)
{
    if (where.line && finding->place_count < FINDING_PLACE_MAX) {
        finding->places[finding->place_count++] = (struct finding_place){
            .file = mem_copy_text(scene->profile->files[where.file].path),
            .line = where.line->number,
            .function = function_at(scene, where),
        };
    }
}

void finding_place_of_frame(struct finding *finding, const struct profile_frame *frame)
{
    if (finding->place_count < FINDING_PLACE_MAX) {
        finding->places[finding->place_count++] = (struct finding_place){
            .file = mem_copy_text(frame->file),
            .line = frame->line,
            .function = frame->name && frame->name[0] ? mem_copy_text(frame->name) : NULL,
        };
    }
}

void finding_advice(struct finding *finding, const char *how_measured, const char *next_step)
{
    finding->how_measured = mem_copy_text(how_measured);
    finding->next_step = mem_copy_text(next_step);
}
