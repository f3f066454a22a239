// SPDX-License-Identifier: Apache-2.0
#include "agent/exec_plan.h"

#include "agent/clock.h"
#include "agent/exec_target.h"
#include "agent/session.h"
#include "agent/syscall.h"

// With --no-profile-children only the program itself is to have the agent, whatever it becomes.
static bool is_for_another(bool is_new)
{
    return (session.control->flags & CONTROL_ALONE) &&
           (is_new || raw_getpid() != atomic_load(&session.control->root_pid));
}

void exec_plan_make(struct exec_plan *plan, int directory, const char *path, int flags,
                    char *const environment[], bool is_new)
{
    *plan = (struct exec_plan){.path = path, .state = ROLL_STARTED};
    if (!session.control || !path) {
        return;
    }
    if (!exec_environment_joins(environment)) {
        plan->state = ROLL_NO_VARIABLES;
        return;
    }
    plan->state =
        session_is_elsewhere() ? ROLL_OTHER_NAMESPACE : exec_target_judge(directory, path, flags);
    plan->hides_us = !roll_may_join(plan->state) || is_for_another(is_new);
}

int exec_plan_act(const struct exec_plan *plan, char *const environment[], exec_action *act,
                  const void *call)
{
    return plan->hides_us ? exec_environment_without_ours(environment, act, call)
                          : act(call, environment);
}

static bool is_entered(const struct exec_plan *plan, bool is_new)
{
    return session.control && plan->path && !is_for_another(is_new);
}

static void enter(const struct exec_plan *plan, int pid, int parent_pid, unsigned program_number)
{
    struct roll_entry entry = {
        .pid = pid,
        .parent_pid = parent_pid,
        .state = plan->state,
        .program_number = program_number,
        .time_ns = clock_wall_ns(),
    };
    roll_enter(&session.control->roll, &entry, plan->path);
}

static int own_number(const struct exec_plan *plan)
{
    return plan->state == ROLL_OTHER_NAMESPACE ? session_outer_pid() : raw_getpid();
}

void exec_plan_enter_self(const struct exec_plan *plan)
{
    if (is_entered(plan, false)) {
        enter(plan, own_number(plan), raw_getppid(), session_next_number());
    }
}

void exec_plan_withdraw(const struct exec_plan *plan)
{
    if (is_entered(plan, false)) {
        roll_leave(&session.control->roll, own_number(plan));
    }
}

// One that can join does so in a moment, and is seen by its ring.
void exec_plan_enter_child(const struct exec_plan *plan, int pid)
{
    if (is_entered(plan, true) && !roll_may_join(plan->state)) {
        enter(plan, pid, raw_getpid(), 0);
    }
}
