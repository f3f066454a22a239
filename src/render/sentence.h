// SPDX-License-Identifier: Apache-2.0
#pragma once

// A profile in words: durations, shares, where the time went, how far to trust it. Plain text
// without colours, for whoever shows it.

#include <stdbool.h>

#include "base/text.h"
#include "profile/profile.h"

// As the original writes them: "9.500ms", "5.000s", "1m:5.000s", "1h:1m:5.000s".
void sentence_duration(struct text *out, double seconds);

// As the original writes them: "512.000 MB", "1.500 GB".
void sentence_size(struct text *out, double mb);

// "for the GIL", "asleep", ... and the letter that stands for it in a table.
const char *sentence_wait(enum profile_wait kind);
char sentence_wait_letter(enum profile_wait kind);

// The kind with the most seconds; -1 if there is no wait.
int sentence_main_wait(const struct profile_times *times);

// "5.80s for the GIL, 1.20s asleep": the largest first. Nothing below a millisecond.
void sentence_waits(struct text *out, const struct profile_times *times);

// "41% Python, 3% native, 1% system": the parts that are not zero.
void sentence_shares(struct text *out, const struct profile *profile,
                     const struct profile_times *times);

// Where the time went. `glyphs` are put behind the words Python,
// native, system and idle.
void sentence_verdict(struct text *out, const struct profile *profile, const char *const *glyphs);

// How much memory there was at most, and who held it. `timeline` stands behind the first words.
void sentence_memory(struct text *out, const struct profile *profile, const char *timeline);

// How busy the GPUs were, with how much memory, and whose work that was; nothing without one.
void sentence_gpus(struct text *out, const struct profile *profile);

// "(estimated likelihood: 98%, velocity: 4.41 MB/s)", as the original writes it.
void sentence_leak(struct text *out, const struct profile_leak *leak);

// "fetcher (fetch): 0.50s of CPU time, 7.40s awaited, 0.25s without a break; made at app.py:8".
void sentence_task(struct text *out, const struct profile_task *task);

// How it was measured: samples, losses, the profiler's own cost. `plus_minus` is that sign.
void sentence_receipt(struct text *out, const struct profile *profile, const char *plus_minus);
