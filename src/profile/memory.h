// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who allocated and who holds memory, as a profile tells it. What lines and functions have are
// estimates from sampled blocks, the footprint is exact; docs/memory.md has the errors.

#include <stddef.h>
#include <stdint.h>

#define PROFILE_MB               1048576.0 // bytes
#define PROFILE_MEMORY_POINT_MAX 100u

// A moment of a quantity that changes in steps.
struct profile_point {
    double t_s; // since the root process started
    double mb;
};

// Of a line, or of a function.
struct profile_memory {
    double allocated_mb;   // volume, temporaries included
    double python_mb;      // of it, through Python's allocators
    double usage_fraction; // of all that was allocated
    double alloc_count;
    double error_mb;      // half-width of the 95 % interval of allocated_mb
    double live_error_mb; // the same of what it held at the peak and at the end
    double average_mb;    // over the time that it held anything
    double peak_mb;       // the most it held at once
    double at_peak_mb;    // when the whole footprint was highest
    double at_end_mb;
    double copied_mb;
    struct profile_point *points; // what it held over time, ascending
    size_t point_count;
};

// Of the whole tree of processes.
struct profile_footprint {
    double max_mb;
    double python_fraction; // of what was held at the peak
    double growth_percent;  // of all bytes allocated, those still held at the end
    double allocated_mb;
    double native_allocated_mb; // by threads that run no Python
    double native_at_peak_mb;
    double unattributed_at_peak_mb; // of the peak, neither a line's nor a native thread's
    double file_mapped_mb;          // at most, mapped from files
    double shared_mb;               // at most, shared with other processes
    uint64_t event_count;           // sampled allocations and frees
    char *path;                     // the line that held most at the peak; NULL: none
    int line;
    struct profile_point *points;
    size_t point_count;
};

// Adds what a second holder of the same name has. The peak of both together is no less than the
// larger one, and what their points say.
void profile_memory_add(struct profile_memory *sum, const struct profile_memory *part);
void profile_memory_clear(struct profile_memory *memory);
