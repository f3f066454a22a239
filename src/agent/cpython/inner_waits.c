// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/inner_waits.h"

#include <string.h>

#include "agent/hot.h"

#define INNER_COUNT 256u

static struct inner {
    uintptr_t coroutine; // 0: none
    uint32_t chain;
} inners[INNER_COUNT];

static bool has_any; // since the last time that all were forgotten

static struct inner *place_of(uintptr_t coroutine)
{
    return &inners[(coroutine >> 4) * 0x9e3779b97f4a7c15u >> 56 & (INNER_COUNT - 1)];
}

void inner_waits_keep(uintptr_t coroutine, uint32_t chain)
{
    struct inner *inner = place_of(coroutine);
    if (inner->coroutine == 0 || inner->chain == 0) {
        *inner = (struct inner){coroutine, chain};
        has_any = true;
    }
}

HOT bool inner_waits_take(uintptr_t coroutine, uint32_t *chain)
{
    struct inner *inner = has_any ? place_of(coroutine) : NULL;
    if (!inner || inner->coroutine != coroutine) {
        return false;
    }
    *chain = inner->chain;
    inner->coroutine = 0;
    return true;
}

void inner_waits_forget(void)
{
    memset(inners, 0, sizeof inners);
    has_any = false;
}
