// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which NVIDIA devices there are, as the kernel's files show them. The library numbers them too,
// but to be told which of its numbers is which device file it has to be attached, which wakes it.

#include <stddef.h>

struct nvml_bus {
    char address[32]; // PCI
    int minor;        // N of /dev/nvidiaN
};

// Returns how many there are; 0 where they do not show (WSL, some containers).
size_t nvml_bus_find(struct nvml_bus *list, size_t max);
