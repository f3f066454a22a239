// SPDX-License-Identifier: Apache-2.0
#pragma once

// Turns sampling off and on again in a run under way, through its control page: no signal is sent
// and no process is disturbed.

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct run_dir;

enum run_switch_result {
    RUN_SWITCHED,
    RUN_WAS_SO_ALREADY,
    RUN_NOT_FOUND, // the error says what was not
};

// `pid` is scalene's own or that of any process of the run.
enum run_switch_result run_switch(pid_t pid, bool is_on, struct error *err);

bool run_switch_is_on(const struct run_dir *dir);

// How long sampling has been off in this run, until now.
double run_switch_off_s(const struct run_dir *dir);
