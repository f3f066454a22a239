// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/generator_send.h"

#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "agent/cpython/coroutine_step.h"
#include "agent/cpython/interpreter.h"
#include "agent/hook.h"
#include "agent/hot.h"
#include "agent/relocation.h"

typedef void *generator_send(void *generator, void *value);

static void *original;
static uintptr_t coroutine_type;
static atomic_bool is_wanted;

HOT static void *hooked(void *generator, void *value)
{
    generator_send *send = (generator_send *)original;
    uintptr_t type =
        *(const uintptr_t *)((uintptr_t)generator + (uintptr_t)interpreter.layout.object_type);
    if (type != coroutine_type) {
        return send(generator, value);
    }
    struct coroutine_step step;
    coroutine_step_begin(&step, (uintptr_t)generator, COROUTINE_OF_TASK);
    void *result = send(generator, value);
    coroutine_step_end(&step);
    return result;
}

static struct relocation_hook hooks[] = {{"_PyGen_Send", &original, (void *)hooked, false}};
static const struct relocation_set set = {hooks, 1, "/_asyncio."};

static int is_library(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    return info->dlpi_name && strstr(info->dlpi_name, set.library) ? 1 : 0;
}

static int has_news(struct dl_phdr_info *info, size_t size, void *argument)
{
    unsigned long long *added = argument;
    bool is_new = size >= sizeof *info && info->dlpi_adds != *added;
    *added = size >= sizeof *info ? info->dlpi_adds : 0;
    return is_new ? 2 : 1;
}

// Any thread may open a file, with or without the GIL; one of them looks.
static void look(const char *path)
{
    static unsigned long long added;
    (void)path;
    if (dl_iterate_phdr(has_news, &added) != 2 || dl_iterate_phdr(is_library, NULL) != 1 ||
        !atomic_exchange(&is_wanted, false)) {
        return;
    }
    hook_on_open = NULL;
    relocation_hook_all(&set);
}

void generator_send_install(void)
{
    original = interpreter_symbol("_PyGen_Send");
    coroutine_type = (uintptr_t)interpreter_symbol("PyCoro_Type");
    if (original) {
        atomic_store(&is_wanted, true);
        hook_on_open = look;
        look(NULL);
    }
}

void generator_send_remove(void)
{
    if (!original) {
        return;
    }
    if (atomic_exchange(&is_wanted, false)) {
        hook_on_open = NULL;
    } else {
        relocation_unhook_all(&set);
    }
}
