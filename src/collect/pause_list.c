// SPDX-License-Identifier: Apache-2.0
#include "collect/pause_list.h"

#include <string.h>

void pause_list_add(struct pause_list *pauses, uint64_t begin_ns, uint64_t end_ns)
{
    if (end_ns <= begin_ns) {
        return;
    }
    if (pauses->count == PAUSE_MAX) {
        pauses->forgotten_ns += (double)(pauses->list[0].end_ns - pauses->list[0].begin_ns);
        pauses->count--;
        memmove(pauses->list, pauses->list + 1, pauses->count * sizeof *pauses->list);
    }
    pauses->list[pauses->count++] = (struct pause){begin_ns, end_ns};
}

double pause_list_before(const struct pause_list *pauses, uint64_t time_ns)
{
    double sum_ns = pauses->forgotten_ns;
    for (size_t i = 0; i < pauses->count && pauses->list[i].begin_ns < time_ns; i++) {
        const struct pause *pause = &pauses->list[i];
        uint64_t end_ns = pause->end_ns < time_ns ? pause->end_ns : time_ns;
        sum_ns += (double)(end_ns - pause->begin_ns);
    }
    return sum_ns;
}
