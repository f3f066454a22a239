// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether a thread waits for an accelerator: told by the functions of its vendor's libraries on the
// native stack. Some of them compute while they wait (CUDA does unless it is told otherwise), so
// that the state of the thread says nothing.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "collect/symbol.h"
#include "collect/unwind.h"

// Zero-initialised with a cache of symbols knows nothing yet.
struct gpu_calls {
    struct symbol_cache *symbols;
    struct map images;    // number + 1 of an image, to 1 (any library) or 2 (a vendor's)
    struct map functions; // of the vendors' libraries: to 1 (any) or 2 (one that waits)
};

// A library through which programs talk to an accelerator.
bool gpu_calls_is_runtime(struct gpu_calls *calls, const struct image *image);

// `chain` is innermost first.
bool gpu_calls_is_waiting(struct gpu_calls *calls, const struct unwind_frame *chain, size_t count);

// By its name alone.
bool gpu_calls_waits(const char *function);

void gpu_calls_clear(struct gpu_calls *calls);
