// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every harness of this folder defines; libFuzzer, or replay.c, calls it with each input.

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
