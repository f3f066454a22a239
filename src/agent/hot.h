// SPDX-License-Identifier: Apache-2.0
#pragma once

// What runs at every step of every task lies side by side in the library: it is called between
// microseconds of other code, and each page and cache line of it has to be fetched anew.
#define HOT  __attribute__((hot))
#define COLD __attribute__((cold, noinline))
