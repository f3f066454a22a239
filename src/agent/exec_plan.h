// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a program is started so that the agent comes along where it can and is not even mentioned
// where it cannot: a loader that does not know it would say so on the program's stderr. Who starts
// without it is entered on the roll, with the reason.
// Context: any thread, vfork child

#include <stdbool.h>

#include "agent/exec_environment.h"
#include "wire/roll.h"

struct exec_plan {
    const char *path; // of the file, for the roll
    enum roll_state state;
    bool hides_us;
};

// `is_new`: in a process that is yet to be made. Arguments as of execveat.
void exec_plan_make(struct exec_plan *plan, int directory, const char *path, int flags,
                    char *const environment[], bool is_new);

// Does `act` with the environment that is due.
int exec_plan_act(const struct exec_plan *plan, char *const environment[], exec_action *act,
                  const void *call);

// The calling process is about to become that program; or has failed to.
void exec_plan_enter_self(const struct exec_plan *plan);
void exec_plan_withdraw(const struct exec_plan *plan);

// A child that was made with it.
void exec_plan_enter_child(const struct exec_plan *plan, int pid);
