// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who uses an NVIDIA device: the processes that its driver lists, with the memory that each has
// there and its part of the work. Whether they are the program's is told by their numbers, which
// are the host's: in a container none of them is there.

#include "accel/nvml_api.h"
#include "accel/nvml_processes.h"
#include "accel/nvml_work.h"
#include "accel/source.h"

struct nvml_users {
    struct nvml_processes processes; // as last told
    struct nvml_work work;
    bool is_off;     // not told, or not any more
    bool is_known;   // the list was told once
    bool has_ours;   // one of ours was listed once: the numbers are ours
    bool has_others; // some that are listed are not ours
    bool is_foreign; // the numbers are of another namespace
    int refusals;    // in a row
};

// Asks the driver, of all parts of a device that is shared out (`is_mig`). Returns what it said
// to the question for the list. After the third refusal in a row, or one for good, it is off.
int nvml_users_read(struct nvml_users *users, const struct nvml_api *api, nvml_device device,
                    bool is_mig);

// Whether the numbers are of another namespace, now that these are the program's processes.
void nvml_users_compare(struct nvml_users *users, const struct source_process *processes,
                        size_t count);

// Whether there is an answer to who uses the device: a list, or that there is none.
bool nvml_users_is_settled(const struct nvml_users *users);

// Whether what each of our processes has and does can be told.
bool nvml_users_are_told_apart(const struct nvml_users *users);

// Of what the device does. While nobody has been busy yet, who has memory there may be the next.
double nvml_users_part(const struct nvml_users *users, int pid);

enum message_others nvml_users_others(const struct nvml_users *users);

double nvml_users_mb(const struct nvml_process *process); // negative: not known
