// SPDX-License-Identifier: Apache-2.0
#include "agent/probe.h"

#include <errno.h>
#include <string.h>

#include "agent/syscall.h"

#define PAGE_SIZE PROBE_PAGE_SIZE

_Atomic uintptr_t probe_known_pages[PROBE_KNOWN_PAGES];

// The kernel reads the new mask before it looks at what to do with it: an impossible `how` tells
// a readable address (EINVAL) from an unreadable one (EFAULT), and changes nothing.
static bool ask_kernel(uintptr_t page)
{
    return raw_sigprocmask(-1, (const uint64_t *)page, NULL) == -EINVAL;
}

static bool page_is_readable(struct probe *probe, uintptr_t page)
{
    if (probe->is_at_rest &&
        atomic_load_explicit(probe_known_place(page), memory_order_relaxed) == page + 1) {
        return true;
    }
    for (unsigned i = 0; i < PROBE_PAGES; i++) {
        if (probe->pages[i] == page) {
            return true;
        }
    }
    if (!ask_kernel(page)) {
        return false;
    }
    probe->pages[probe->next++ % PROBE_PAGES] = page;
    if (probe->is_at_rest) {
        atomic_store_explicit(probe_known_place(page), page + 1, memory_order_relaxed);
    }
    return true;
}

void probe_forget(void)
{
    for (unsigned i = 0; i < PROBE_KNOWN_PAGES; i++) {
        atomic_store_explicit(&probe_known_pages[i], 0, memory_order_relaxed);
    }
}

bool probe_ask(struct probe *probe, uintptr_t address, size_t len)
{
    if (address < PAGE_SIZE || len > PTRDIFF_MAX || address > UINTPTR_MAX / 2 - len) {
        return false;
    }
    uintptr_t last = (address + (len ? len - 1 : 0)) & ~(uintptr_t)(PAGE_SIZE - 1);
    for (uintptr_t page = address & ~(uintptr_t)(PAGE_SIZE - 1); page <= last; page += PAGE_SIZE) {
        if (!page_is_readable(probe, page)) {
            return false;
        }
    }
    return true;
}

bool probe_copy(struct probe *probe, void *to, uintptr_t from, size_t len)
{
    if (!probe_is_readable(probe, from, len)) {
        return false;
    }
    memcpy(to, (const void *)from, len);
    return true;
}

uintptr_t probe_word(struct probe *probe, uintptr_t address)
{
    uintptr_t word = 0;
    return probe_copy(probe, &word, address, sizeof word) ? word : 0;
}
