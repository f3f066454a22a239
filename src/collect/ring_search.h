// SPDX-License-Identifier: Apache-2.0
#pragma once

struct collector;

// Opens the rings that are new in the run's directory, files named by a process number. Parents
// come before their children, who know some things from them only, and what a process was before
// what it became; a folder has no order.
void ring_search(struct collector *collector);
