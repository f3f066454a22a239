// SPDX-License-Identifier: Apache-2.0
#pragma once

// The run as a profile: totals, processes, threads, and how far to trust them.

#include "collect/run.h"

void report_fill(struct collector *collector, struct profile *profile);
