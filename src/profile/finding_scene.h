// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the rules look at, and what they say. A rule adds what it finds with finding_add and the
// functions below it, which take copies.

#include "base/text.h"
#include "profile/block.h"
#include "profile/finding.h"
#include "profile/lock_span.h"
#include "profile/profile.h"
#include "profile/source.h"

#define SCENE_QUANTILE 1.96 // of 97.5 %
#define FINDING_HOW_HELD                                                             \
    "Sampled blocks, each counted from its allocation to its release; the interval " \
    "holds with 95 % confidence."

struct scene {
    const struct profile *profile;
    double cpu_s;
    double cpu_part; // of T: what a share of the CPU time has at stake is that much of it
    struct finding_list *findings;
    struct source *sources;    // of profile->files, read when asked for
    struct block_list *blocks; // of these, likewise
    bool *has_source;
    struct lock_span_list *locks; // and theirs
    bool *has_locks;
};

// A line, and the file it is in.
struct scene_line {
    const struct profile_line *line;
    size_t file;
};

// Calls `weigh` for all lines and returns the one with the most; `line` is NULL if none has more
// than zero.
struct scene_line scene_heaviest(const struct scene *scene,
                                 double (*weigh)(const struct profile_line *line));

// The text of a line without its ends; empty if it is not known.
void scene_text(struct scene *scene, size_t file, int number, struct text *out);
const struct block_list *scene_blocks(struct scene *scene, size_t file);
const struct lock_span_list *scene_locks(struct scene *scene, size_t file);

// The line of a frame; `line` is NULL if it is native or of no profiled file.
struct scene_line scene_of_frame(const struct scene *scene, const struct profile_frame *frame);

// How long lines that run an event loop waited for the network: nothing was ready. It is the tasks
// that waited then, each at its own line.
double scene_loop_idle_s(struct scene *scene);

// Half the width of the 95 % interval of the CPU time.
double scene_cpu_error_s(const struct profile_times *times);

// "train.py:88", and the place itself.
void scene_add_place(struct text *out, const struct scene *scene, struct scene_line where);

// "60M ± 2.0M", the error only where it is worth telling.
void scene_add_size(struct text *out, double mb, double error_mb);

// ", most of it at train.py:88"; nothing where there is no such line.
void scene_add_most(struct text *out, const struct scene *scene, struct scene_line where);

struct finding *finding_add(struct scene *scene, const char *id, double weight,
                            const struct text *sentence);
void finding_evidence(struct finding *finding, const char *label, double value, const char *unit,
                      double error);
void finding_place(struct finding *finding, struct scene *scene, struct scene_line where);
void finding_place_of_frame(struct finding *finding, const struct profile_frame *frame);
void finding_advice(struct finding *finding, const char *how_measured, const char *next_step);

// The rules, a family a file.
void finding_cpu(struct scene *scene);
void finding_loop(struct scene *scene);
void finding_native(struct scene *scene);
void finding_gil(struct scene *scene);
void finding_lock(struct scene *scene);
void finding_wait(struct scene *scene);
void finding_gpu(struct scene *scene);
void finding_async(struct scene *scene);
void finding_leak(struct scene *scene);
void finding_memory(struct scene *scene);
void finding_workers(struct scene *scene);
void finding_quality(struct scene *scene);
