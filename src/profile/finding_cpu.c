// SPDX-License-Identifier: Apache-2.0
// Where the CPU time went: lines, functions, native symbols, the kernel, imports.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "profile/amount.h"
#include "profile/finding_scene.h"

#define HOT_PART      0.10 // of the CPU time
#define HOT_LINES_MAX 3
#define ONE_LINE_PART 0.7 // of a function's time: then the line says it all
#define IMPORT_PART   0.10
#define IMPORT_S      0.2
#define DOMINANT      0.5
#define HOW_SAMPLED   "Estimated from samples of CPU time; the interval holds with 95 % confidence."
#define HOW_SYSTEM    "The kernel's own account of each thread's system time, read with each sample."

static double cpu_of_line(const struct profile_line *line)
{
    return profile_times_cpu_s(&line->times);
}

static double system_of_line(const struct profile_line *line)
{
    return line->times.system_s;
}

static void add_share(struct text *out, double part, double error)
{
    text_format(out, "%.0f%%", 100 * part);
    if (error > 0) {
        text_format(out, " ± %.*f", error < 0.0095 ? 1 : 0, 100 * error);
    }
}

// The original does not tell waiting from the kernel's work.
static bool is_original(const struct scene *scene)
{
    return scene->profile->format_version == 0;
}

static const char *how_measured(const struct scene *scene)
{
    return is_original(scene)
               ? "As the profiler that wrote this file tells it, without an interval."
               : HOW_SAMPLED;
}

static const char *time_word(const struct scene *scene)
{
    return is_original(scene) ? "time" : "CPU time";
}

static void add_kinds(struct text *out, const struct scene *scene,
                      const struct profile_times *times)
{
    const double parts[] = {times->python_s, times->native_s, times->system_s};
    const char *const words[] = {"Python", "native",
                                 is_original(scene) ? "system or waiting" : "system"};
    double sum = profile_times_cpu_s(times);
    const char *separator = "";
    for (int i = 0; i < 3; i++) {
        if (parts[i] >= 0.005 * sum) {
            text_add(out, separator);
            amount_percent(out, 100 * parts[i] / sum);
            text_format(out, " %s", words[i]);
            separator = ", ";
        }
    }
}

static const char *advice_for(const struct profile_times *times)
{
    double sum = profile_times_cpu_s(times);
    if (times->native_s >= DOMINANT * sum) {
        return "The time is inside what the line calls: call it less often, on less data, or call "
               "something faster. The flame graph names the function.";
    }
    if (times->system_s >= DOMINANT * sum) {
        return "The kernel did the work: fewer, larger reads and writes, or less fresh memory.";
    }
    return "The time is in the interpreter: do less on each pass, move work out of the loop, or "
           "hand it to one native call.";
}

static void add_hot_line(struct scene *scene, struct scene_line hot)
{
    const struct profile_times *times = &hot.line->times;
    double part = profile_times_cpu_s(times) / scene->cpu_s;
    double error = scene_cpu_error_s(times) / scene->cpu_s;
    struct text text = {0};
    scene_add_place(&text, scene, hot);
    text_add(&text, " took ");
    add_share(&text, part, error);
    text_format(&text, " of the %s (", time_word(scene));
    amount_duration(&text, profile_times_cpu_s(times));
    text_add(&text, "): ");
    add_kinds(&text, scene, times);
    text_add(&text, ".");
    struct finding *finding = finding_add(scene, "hot-line", part * scene->cpu_part, &text);
    finding_evidence(finding, "share of it", 100 * part, "%", error > 0 ? 100 * error : -1);
    finding_evidence(finding, time_word(scene), part * scene->cpu_s, "s",
                     error > 0 ? error * scene->cpu_s : -1);
    finding_evidence(finding, "in Python", times->python_s, "s", -1);
    finding_evidence(finding, "in native code", times->native_s, "s", -1);
    finding_place(finding, scene, hot);
    finding_advice(finding, how_measured(scene), advice_for(times));
    text_clear(&text);
}

static bool is_hot(const struct scene *scene, const struct profile_times *times)
{
    double lower_s = profile_times_cpu_s(times) - scene_cpu_error_s(times);
    return lower_s > 0 && lower_s >= HOT_PART * scene->cpu_s;
}

static int compare_heat(const void *left, const void *right)
{
    const struct scene_line *a = left;
    const struct scene_line *b = right;
    double difference = cpu_of_line(b->line) - cpu_of_line(a->line);
    if (difference != 0) {
        return difference > 0 ? 1 : -1;
    }
    return a->line->number - b->line->number;
}

static void find_hot_lines(struct scene *scene)
{
    const struct profile *profile = scene->profile;
    struct scene_line hot[11]; // no more than ten can have a tenth each
    size_t count = 0;
    for (size_t i = 0; i < profile->file_count; i++) {
        for (size_t j = 0; j < profile->files[i].line_count && count < 11; j++) {
            if (is_hot(scene, &profile->files[i].lines[j].times)) {
                hot[count++] = (struct scene_line){&profile->files[i].lines[j], i};
            }
        }
    }
    qsort(hot, count, sizeof *hot, compare_heat);
    for (size_t i = 0; i < count && i < HOT_LINES_MAX; i++) {
        add_hot_line(scene, hot[i]);
    }
}

static int last_line(struct scene *scene, size_t file, int first_line)
{
    const struct block_list *blocks = scene_blocks(scene, file);
    for (size_t i = 0; i < blocks->count; i++) {
        if (blocks->blocks[i].kind == BLOCK_FUNCTION && blocks->blocks[i].code_line == first_line) {
            return blocks->blocks[i].last;
        }
    }
    return PROFILE_LINE_MAX;
}

static bool has_one_line(struct scene *scene, size_t file, const struct profile_function *function)
{
    double sum_s = profile_times_cpu_s(&function->times);
    const struct profile_file *from = &scene->profile->files[file];
    int last = last_line(scene, file, function->first_line);
    for (size_t i = 0; i < from->line_count; i++) {
        int number = from->lines[i].number;
        if (number >= function->first_line && number <= last &&
            cpu_of_line(&from->lines[i]) >= ONE_LINE_PART * sum_s) {
            return true;
        }
    }
    return false;
}

static void add_hot_function(struct scene *scene, size_t file,
                             const struct profile_function *function)
{
    double part = profile_times_cpu_s(&function->times) / scene->cpu_s;
    double error = scene_cpu_error_s(&function->times) / scene->cpu_s;
    struct profile_line first = {.number = function->first_line};
    struct text text = {0};
    text_format(&text, "%s, at ", function->name);
    scene_add_place(&text, scene, (struct scene_line){&first, file});
    text_add(&text, ", took ");
    add_share(&text, part, error);
    text_format(&text, " of the %s, spread over its lines: ", time_word(scene));
    add_kinds(&text, scene, &function->times);
    text_add(&text, ".");
    struct finding *finding = finding_add(scene, "hot-function", part * scene->cpu_part, &text);
    finding_evidence(finding, "share of it", 100 * part, "%", error > 0 ? 100 * error : -1);
    finding_place(finding, scene, (struct scene_line){&first, file});
    finding_advice(finding, how_measured(scene), advice_for(&function->times));
    text_clear(&text);
}

static void find_hot_functions(struct scene *scene)
{
    for (size_t i = 0; i < scene->profile->file_count; i++) {
        const struct profile_file *file = &scene->profile->files[i];
        for (size_t j = 0; j < file->function_count; j++) {
            const struct profile_function *function = &file->functions[j];
            if (is_hot(scene, &function->times) && function->name[0] != '<' &&
                !has_one_line(scene, i, function)) {
                add_hot_function(scene, i, function);
            }
        }
    }
}

static void find_system_time(struct scene *scene)
{
    double part = scene->profile->totals.system_s / scene->cpu_s;
    double n = (double)scene->profile->quality.cpu_samples;
    double error = n > 0 ? SCENE_QUANTILE * sqrt(part * (1 - part) / n) : 1;
    if (part - error < HOT_PART || scene->profile->format_version == 0) {
        return;
    }
    struct scene_line most = scene_heaviest(scene, system_of_line);
    struct text text = {0};
    text_add(&text, "The kernel took ");
    add_share(&text, part, error);
    text_add(&text, " of the CPU time on the program's behalf");
    scene_add_most(&text, scene, most);
    text_add(&text, ".");
    struct finding *finding = finding_add(scene, "system-time", part * scene->cpu_part / 2, &text);
    finding_evidence(finding, "system time", part * scene->cpu_s, "s", error * scene->cpu_s);
    finding_place(finding, scene, most);
    finding_advice(finding, HOW_SYSTEM,
                   "Fewer, larger system calls help; so does using memory again instead of "
                   "fetching fresh pages.");
    text_clear(&text);
}

static bool is_import(const char *text)
{
    return strncmp(text, "import ", 7) == 0 ||
           (strncmp(text, "from ", 5) == 0 && strstr(text, " import"));
}

static void add_imports(struct scene *scene, double sum_s, struct scene_line most)
{
    double total_s = profile_total_s(scene->profile);
    double most_s = profile_times_cpu_s(&most.line->times) + most.line->times.idle_s;
    struct text text = {0};
    text_add(&text, "Imports took ");
    amount_duration(&text, sum_s);
    text_format(&text, ", %.0f%% of the time; the one at ", 100 * sum_s / total_s);
    scene_add_place(&text, scene, most);
    text_add(&text, " took ");
    amount_duration(&text, most_s);
    text_add(&text, ".");
    struct finding *finding = finding_add(scene, "imports", sum_s / total_s / 2, &text);
    finding_evidence(finding, "in import statements", sum_s, "s", -1);
    finding_place(finding, scene, most);
    finding_advice(finding, HOW_SAMPLED,
                   "Import inside the function that needs it, or a smaller module; a second run "
                   "may be faster, since files are then in memory.");
    text_clear(&text);
}

// What a line took, if it imports something and that is worth a look; else 0.
static double import_s(struct scene *scene, struct scene_line where)
{
    double took_s = cpu_of_line(where.line) + where.line->times.idle_s;
    struct text text = {0};
    if (took_s < profile_total_s(scene->profile) / 1000) {
        return 0;
    }
    scene_text(scene, where.file, where.line->number, &text);
    bool imports = is_import(text.data);
    text_clear(&text);
    return imports ? took_s : 0;
}

static void find_imports(struct scene *scene)
{
    double total_s = profile_total_s(scene->profile);
    double sum_s = 0;
    double variance_s2 = 0;
    double most_s = 0;
    struct scene_line most = {0};
    for (size_t i = 0; i < scene->profile->file_count; i++) {
        const struct profile_file *file = &scene->profile->files[i];
        for (size_t j = 0; j < file->line_count; j++) {
            struct scene_line where = {&file->lines[j], i};
            double took_s = import_s(scene, where);
            sum_s += took_s;
            variance_s2 += took_s > 0 ? where.line->times.variance_s2 : 0;
            if (took_s > most_s) {
                most_s = took_s;
                most = where;
            }
        }
    }
    double lower_s = sum_s - SCENE_QUANTILE * sqrt(variance_s2);
    if (most.line && lower_s >= IMPORT_S && lower_s >= IMPORT_PART * total_s) {
        add_imports(scene, sum_s, most);
    }
}

void finding_cpu(struct scene *scene)
{
    if (scene->cpu_s > 0) {
        find_hot_lines(scene);
        find_hot_functions(scene);
        find_system_time(scene);
        find_imports(scene);
    }
}
