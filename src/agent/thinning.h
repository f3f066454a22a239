// SPDX-License-Identifier: Apache-2.0
#pragma once

// Makes room among the live blocks: when too many are followed, the light ones are thinned out, and
// those that stay stand for the others. What each line holds stays what it was, but for less than
// one block. The work is done in small steps, so that no allocation takes long and the corrections
// find room in the ring.
// Context: any thread, signal handler

// One step, where there is need.
void thinning_step(void);

// In the child of a fork: whoever was at it is not there.
void thinning_forked(void);
