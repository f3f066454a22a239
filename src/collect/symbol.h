// SPDX-License-Identifier: Apache-2.0
#pragma once

// Names of native functions. A name is given only when the symbol covers the address, or starts
// where the function starts: for a stripped file the nearest exported name would be some other
// function's, and a wrong name is worse than `libx.so+0x1230`, which names the function by where it
// starts. Sources, in order: the file's .symtab, a separate debug file installed under the debug
// folder (by build id), the file's .dynsym, names learnt. The network is never asked.
// C++ names are demangled and the compiler's suffixes (.constprop.0, .cold, ...) left out.
// Names are the cache's and stay as long as it.

#include <stdint.h>

#include "collect/image.h"

struct symbol_cache;

// `debug_dir` NULL stands for /usr/lib/debug. The images must outlive the cache.
struct symbol_cache *symbol_cache_new(const char *debug_dir);
void symbol_cache_free(struct symbol_cache *cache);

// `address` is the file's: see unwind_frame_address.
const char *symbol_name(struct symbol_cache *cache, struct image *image, uint64_t address);

// A name for the function that starts at an address, for when its file has none.
void symbol_learn(struct symbol_cache *cache, struct image *image, uint64_t function,
                  const char *name);

// The file's name without its folders.
const char *symbol_module(const struct image *image);
