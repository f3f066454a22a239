// SPDX-License-Identifier: Apache-2.0
#pragma once

// A folder of the test's own, removed with what is in it.

struct scratch {
    char folder[64];
    char path[96]; // of the one file that most tests need
};

void scratch_open(struct scratch *scratch);
void scratch_close(struct scratch *scratch);
