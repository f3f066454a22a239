// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which accelerators a process has open, by the links in its /proc/PID/fd. A program that has none
// open uses none, whatever the devices of the machine are doing.

#include <stdbool.h>
#include <stdint.h>

struct use {
    uint64_t nvidia; // bit N: /dev/nvidiaN, the device's minor number
    uint64_t render; // bit N: /dev/dri/renderD(128 + N) or cardN
    bool has_kfd;    // AMD's compute driver
    bool has_neuron;
    bool has_dxg; // every GPU of a Windows host
};

bool use_is_empty(const struct use *use);

// Looks at one process. False when it cannot be looked at: it has ended, or is another user's.
bool use_look(int pid, struct use *use);

// Whether a link in /proc/PID/fd leads to a device of the DRM, which has an fdinfo; and which.
bool use_is_drm(const char *target);
uint64_t use_render_of(const char *target);
