// SPDX-License-Identifier: Apache-2.0
#pragma once

// Profiles to look for findings in.

#include "profile/profile.h"

// A run of /x/prog.py with ten seconds of CPU time and a thousand samples, in which nothing stands
// out yet.
struct profile *scenery_new(const char *source);
struct profile_line *line_at(struct profile *profile, int number);

// A thread that lived through the run; it holds until the next is added.
struct profile_thread *add_thread(struct profile *profile, uint64_t thread_id);

// A frame of the program, or in native code of a module; the same one if it is there already.
uint32_t add_frame(struct profile *profile, int line, const char *module);

// Ten samples of a thread at a line, of 0.1 s each; in native code of a module, unless that is
// NULL. Returns the stack, which holds until the next is added.
struct profile_stack *add_samples(struct profile *profile, uint64_t thread_id, int line,
                                  const char *module);

// Looks for findings; NULL: there is none of that name.
const struct finding *find(struct profile *profile, const char *id);
void assert_says(const struct finding *finding, const char *words);
