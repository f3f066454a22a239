// SPDX-License-Identifier: Apache-2.0
#pragma once

// For programs that are run bare and with the test's agent of mappings and copies
// (tests/unit/agent/map_agent.c): prints a complaint if that has added up something else than is
// expected. Bare it cannot, and keeps quiet.

enum map_sum { SUM_MEMORY, SUM_FILE, SUM_SHARED, SUM_BLOCKS, SUM_COPIES, SUM_UNTRACKED };

void map_expect_begin(void);

// By how much a sum should have grown since.
void map_expect(const char *what, enum map_sum which, long bytes);
