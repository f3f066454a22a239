// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the kernel's DRM drivers tell of each client of a device, in /proc/PID/fdinfo: how long its
// engines worked for it, exactly, and the memory that it has. (NVIDIA's own driver tells nothing.)

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FDINFO_ENGINE_MAX 16

struct fdinfo_engine {
    uint64_t key;          // the same for the same engine
    uint64_t busy;         // ns, or cycles where there is a total
    uint64_t total_cycles; // 0: `busy` is ns
    unsigned capacity;     // engines of that name
    uint64_t cycles;       // as the file has them; `busy` is made of these where it must be
    uint64_t max_hz;
};

struct fdinfo_memory {
    double device_mb; // in the device's own memory
    double system_mb; // in memory that it shares with the processor
    bool is_told;
};

struct fdinfo_client {
    char driver[24];
    char device[32]; // PCI address; empty: none
    uint64_t client_id;
    bool has_client_id;
    struct fdinfo_engine engines[FDINFO_ENGINE_MAX];
    size_t engine_count;
    struct fdinfo_memory memory; // resident
    struct fdinfo_memory older;  // by the name that it had before; some drivers tell both
};

// One file's text. False when it is not of a DRM device.
bool fdinfo_parse(const char *text, struct fdinfo_client *client);

// Each client that the process has, once: descriptors that were copied name the same one. Returns
// the devices that it has open and that tell of none, as the bits of struct use.
uint64_t fdinfo_visit(int pid, void (*visit)(void *context, const struct fdinfo_client *client),
                      void *context);
