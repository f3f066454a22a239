// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a process ended that is not our child, asked of the kernel: newer ones keep the answer with
// the process's descriptor, older ones only until the process has been waited for.

#include <stdbool.h>

// *wait_status is as of waitpid. False when it cannot be known any more.
bool exit_status_read(int pidfd, int pid, int *wait_status);
