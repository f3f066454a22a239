// SPDX-License-Identifier: Apache-2.0
#include "accel/followed.h"

// From `hand` on, since those who stay are in the same order; `count` when it is not there.
static size_t find(const struct followed *followed, size_t hand, int pid)
{
    while (hand < followed->count && followed->processes[hand].pid != pid) {
        hand++;
    }
    return hand;
}

void followed_take(struct followed *followed, const int *pids, size_t count)
{
    static struct followed next;
    size_t hand = 0;
    next.count = count < FOLLOWED_MAX ? count : FOLLOWED_MAX;
    for (size_t i = 0; i < next.count; i++) {
        size_t known = find(followed, hand, pids[i]);
        bool is_known = known < followed->count;
        next.processes[i] =
            is_known ? followed->processes[known] : (struct source_process){.pid = pids[i]};
        next.is_new[i] = is_known ? followed->is_new[known] : true;
        hand = is_known ? known + 1 : hand;
    }
    *followed = next;
}

void followed_look(struct followed *followed, bool at_all)
{
    for (size_t i = 0; i < followed->count; i++) {
        struct use use;
        if ((at_all || followed->is_new[i]) && use_look(followed->processes[i].pid, &use)) {
            followed->processes[i].use = use; // else it stays as it was
        }
        followed->is_new[i] = false;
    }
}
