// SPDX-License-Identifier: Apache-2.0
#pragma once

// AMD's devices as the kernel's folders show them: the card, and the same device as the compute
// driver numbers it.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AMD_CARD_MAX 32

struct amd_card {
    int card;             // N of /sys/class/drm/cardN
    uint64_t render;      // its nodes, as the bits of struct use
    char address[32];     // PCI
    unsigned long kfd_id; // 0: the compute driver does not have it
    double total_mb;
};

// Returns how many there are.
size_t amd_card_find(struct amd_card cards[AMD_CARD_MAX]);

// A figure of a card's, as it is now. False when it cannot be had (errno): a device that sleeps has
// none.
bool amd_card_busy(const struct amd_card *card, double *busy);
bool amd_card_used_mb(const struct amd_card *card, double *used_mb);

// What the compute driver says that a process has there.
bool amd_card_process_mb(const struct amd_card *card, int pid, double *used_mb);
