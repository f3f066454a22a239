// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/audit.h"

#include <stdint.h>
#include <stdlib.h>

#include "agent/cpython/interpreter.h"
#include "agent/probe.h"

// The interpreter's own entry, the same from 3.8 on.
struct entry {
    struct entry *next;
    int (*hook)(const char *, void *, void *);
    void *data;
};

static struct {
    void (*on_start)(void);
    int (*is_initialized)(void);
    const struct entry *likely; // where the entry was probably allocated
    bool has_fired;
    bool stays;
} audit;

static int on_event(const char *event, void *arguments, void *data);

static bool is_ours(struct probe *probe, uintptr_t address)
{
    struct entry entry;
    return address % sizeof(void *) == 0 && probe_copy(probe, &entry, address, sizeof entry) &&
           entry.hook == on_event && entry.data == &audit;
}

// The list's head lies somewhere in _PyRuntime, or the entry follows another hook's.
static uintptr_t *find_link(struct probe *probe)
{
    bool is_known = is_ours(probe, (uintptr_t)audit.likely);
    uintptr_t *word = (uintptr_t *)interpreter.runtime_start;
    uintptr_t *end = (uintptr_t *)interpreter.runtime_end;
    for (; word < end; word++) {
        if (is_known ? *word == (uintptr_t)audit.likely : *word != 0 && is_ours(probe, *word)) {
            return word;
        }
    }
    return NULL;
}

static void unlink_entry(void)
{
    struct probe probe = {0};
    uintptr_t *link = find_link(&probe);
    if (link) {
        *link = (uintptr_t)((const struct entry *)*link)->next;
    }
    audit.stays = !link;
}

static int on_event(const char *event, void *arguments, void *data)
{
    (void)event;
    (void)arguments;
    (void)data;
    if (audit.has_fired || !audit.is_initialized()) {
        return 0;
    }
    audit.has_fired = true;
    unlink_entry();
    audit.on_start();
    return 0;
}

bool audit_install(void (*on_start)(void))
{
    int (*add)(int (*)(const char *, void *, void *), void *) = (int (*)(
        int (*)(const char *, void *, void *), void *))interpreter_symbol("PySys_AddAuditHook");
    audit.is_initialized = (int (*)(void))interpreter_symbol("Py_IsInitialized");
    audit.on_start = on_start;
    if (!add || !audit.is_initialized) {
        return false;
    }
    // An allocator that hands out first what was freed last puts the entry here.
    void *place = malloc(sizeof(struct entry));
    audit.likely = place;
    free(place);
    return add(on_event, &audit) == 0;
}

bool audit_stays(void)
{
    return audit.stays;
}
