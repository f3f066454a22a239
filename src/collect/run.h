// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the collector keeps of a run; shared by the one that reads rings and the one that reports.

#include "collect/collector.h"
#include "collect/fold.h"
#include "collect/open_wait.h"
#include "collect/process.h"
#include "wire/control.h"

struct collector {
    struct collector_options options;
    char *run_dir;
    struct control *control;
    struct image_cache *images;
    struct symbol_cache *symbols;
    struct fold fold;
    struct open_wait_reader open_waits;
    struct process **processes; // in the order of their first record; the root is one of them
    size_t process_count;
    size_t process_capacity;
    unsigned pause_ms;
    bool has_ended;
    struct collector_ending ending;
};
