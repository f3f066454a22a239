// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the settings mean to the agent and to the collector, in a program that is started as in one
// that runs already.

#include "cli/settings.h"
#include "collect/collector.h"
#include "launch/run_dir.h"

struct run_dir_options recording_run_dir_options(const struct settings *settings);

// Without what only the run knows: its directory, filter, start and root.
struct collector_options recording_collector_options(const struct settings *settings);
