// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/interpreter.h"

#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "agent/clock.h"
#include "agent/cpython/roles.h"
#include "agent/probe.h"
#include "agent/session.h"
#include "agent/symbol.h"

struct interpreter interpreter;

static struct {
    void *(*this_thread_state)(void);  // PyGILState_GetThisThreadState
    void *(*current_state)(void);      // _PyThreadState_UncheckedGet, up to 3.11
    void *(*thread_state)(void);       // PyThreadState_Get: holds the GIL
    const char *(*version_text)(void); // Py_GetVersion
    int (*is_finalizing)(void);        // Py_IsFinalizing; before 3.13 with an underscore
} python;

static struct symbol_library library; // the interpreter's own, be it the program itself

void *interpreter_symbol(const char *name)
{
    return library.symbols ? symbol_find_in(&library, name, NULL) : NULL;
}

static bool find_library(void)
{
    struct symbol_scope scope;
    symbol_scope_init(&scope);
    for (size_t i = 0; i < scope.count; i++) {
        if (symbol_find_in(&scope.libraries[i], "_PyRuntime", NULL)) {
            library = scope.libraries[i];
            return true;
        }
    }
    return false;
}

// "3.10.13 (main, ..." as a version number; the release level is not needed.
static uint32_t parse_version(const char *text)
{
    uint32_t parts[3] = {0};
    for (int i = 0; i < 3; i++) {
        while (*text >= '0' && *text <= '9') {
            parts[i] = parts[i] * 10 + (uint32_t)(*text++ - '0');
        }
        if (*text++ != '.') {
            break;
        }
    }
    return parts[0] << 24 | parts[1] << 16 | parts[2] << 8 | 0xf0;
}

static void find_range(const char *name, uintptr_t *start, uintptr_t *end)
{
    size_t size = 0;
    *start = (uintptr_t)symbol_find_in(&library, name, &size);
    *end = *start + size;
}

static bool find_functions(void)
{
    python.this_thread_state = (void *(*)(void))interpreter_symbol("PyGILState_GetThisThreadState");
    python.thread_state = (void *(*)(void))interpreter_symbol("PyThreadState_Get");
    python.version_text = (const char *(*)(void))interpreter_symbol("Py_GetVersion");
    python.current_state = (void *(*)(void))interpreter_symbol("_PyThreadState_UncheckedGet");
    python.is_finalizing = (int (*)(void))interpreter_symbol("Py_IsFinalizing");
    if (!python.is_finalizing) {
        python.is_finalizing = (int (*)(void))interpreter_symbol("_Py_IsFinalizing");
    }
    return python.this_thread_state && python.thread_state && python.version_text;
}

bool interpreter_find(void)
{
    if (!find_library() || !find_functions()) {
        return false;
    }
    const unsigned long *version = interpreter_symbol("Py_Version");
    interpreter.version = version ? (uint32_t)*version : parse_version(python.version_text());
    interpreter.code_type = (uintptr_t)interpreter_symbol("PyCode_Type");
    find_range("_PyRuntime", &interpreter.runtime_start, &interpreter.runtime_end);
    find_range("_PyEval_EvalFrameDefault", &interpreter.eval_start, &interpreter.eval_end);
    return true;
}

static uintptr_t thread_pointer(void)
{
    uintptr_t pointer;
    __asm__("mov %%fs:0, %0" : "=r"(pointer));
    return pointer;
}

struct slot_search {
    uintptr_t state;
    uintptr_t inside; // an address in the module whose block is searched
};

// From 3.12 on the current thread state is a thread-local variable of the interpreter's, whose
// accessor may allocate: its place is found once, and is the same in every thread.
static int find_slots(struct dl_phdr_info *info, size_t size, void *argument)
{
    const struct slot_search *search = argument;
    const ElfW(Phdr) *block = NULL;
    bool is_inside = false;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_TLS) {
            block = segment;
        } else if (segment->p_type == PT_LOAD && search->inside - start < segment->p_memsz) {
            is_inside = true;
        }
    }
    if (!is_inside || !block || size < sizeof *info || !info->dlpi_tls_data) {
        return is_inside;
    }
    const uintptr_t *words = info->dlpi_tls_data;
    for (size_t i = 0; i < block->p_memsz / sizeof *words; i++) {
        if (words[i] == search->state) {
            ptrdiff_t slot = (ptrdiff_t)((uintptr_t)&words[i] - thread_pointer());
            if (interpreter.current_slot == 0) {
                interpreter.current_slot = slot;
            } else if (interpreter.gilstate_slot == 0) {
                interpreter.gilstate_slot = slot;
            }
        }
    }
    return 1;
}

static bool learn_slots(void)
{
    if (interpreter.layout.minor < 12) {
        return python.current_state != NULL;
    }
    struct slot_search search = {(uintptr_t)python.thread_state(), interpreter.runtime_start};
    dl_iterate_phdr(find_slots, &search);
    return interpreter.current_slot != 0;
}

static bool has_jit(void)
{
    // Compiled in, and asked for: the interpreter itself decides by this variable.
    for (char **entry = environ; entry && *entry; entry++) {
        if (strncmp(*entry, "PYTHON_JIT=", 11) == 0) {
            return interpreter.layout.minor >= 13 && (*entry)[11] != '\0' && (*entry)[11] != '0';
        }
    }
    return false;
}

static bool is_free_threaded(void)
{
    return interpreter.layout.minor >= 13 && ((const uint64_t *)interpreter.runtime_start)[2] != 0;
}

static void learn_flags(bool knows_layout)
{
    if (layout_is_guess(interpreter.version)) {
        interpreter.flags |= INTERPRETER_IS_UNKNOWN;
    }
    if (knows_layout && is_free_threaded()) {
        interpreter.flags |= INTERPRETER_IS_FREE_THREADED;
    }
    if (knows_layout && interpreter.layout.minor >= 10) {
        interpreter.flags |= INTERPRETER_HAS_MARK;
    }
    if (has_jit()) {
        interpreter.flags |= INTERPRETER_HAS_JIT;
    }
}

static void send(void)
{
    struct record_address addresses[ROLES_MAX];
    size_t count = roles_collect(addresses);
    struct ring *ring = session_ring();
    size_t len = sizeof(struct record_interpreter) + count * sizeof *addresses;
    struct record_interpreter *record = ring ? ring_reserve(ring, RECORD_INTERPRETER, len) : NULL;
    if (!record) {
        return;
    }
    record->time_ns = clock_wall_ns();
    record->version_hex = interpreter.version;
    record->flags = interpreter.flags;
    record->address_count = (uint32_t)count;
    record->reserved = 0;
    record->code_type = interpreter.code_type;
    record->layout = interpreter.layout;
    memcpy(record + 1, addresses, count * sizeof *addresses);
    ring_commit(record);
}

static size_t extent_of(const int *offsets, size_t count)
{
    int last = 0;
    for (size_t i = 0; i < count; i++) {
        last = offsets[i] > last ? offsets[i] : last;
    }
    return (size_t)last + sizeof(uintptr_t);
}

static void learn_extents(void)
{
    const struct layout *layout = &interpreter.layout;
    const int frame[] = {layout->frame_previous, layout->frame_code, layout->frame_instruction,
                         layout->frame_owner};
    const int code[] = {layout->object_type, layout->code_filename, layout->code_line_table,
                        layout->code_first_line};
    interpreter.frame_extent = extent_of(frame, sizeof frame / sizeof *frame);
    interpreter.code_extent = extent_of(code, sizeof code / sizeof *code);
}

void interpreter_learn(void)
{
    interpreter.can_walk = false;
    interpreter.current_slot = interpreter.gilstate_slot = 0;
    bool knows_layout = layout_find(&interpreter.layout, interpreter.version,
                                    (const void *)interpreter.runtime_start);
    learn_extents();
    learn_flags(knows_layout);
    bool can_walk = knows_layout && interpreter.code_type && learn_slots() &&
                    !(interpreter.flags & INTERPRETER_IS_FREE_THREADED);
    if (can_walk) {
        interpreter.flags |= INTERPRETER_HAS_WALK;
    }
    send();
    atomic_thread_fence(memory_order_release);
    interpreter.can_walk = can_walk;
}

static uintptr_t thread_local_word(ptrdiff_t slot)
{
    return *(const uintptr_t *)(thread_pointer() + (uintptr_t)slot);
}

// Up to 3.11 the holder's state is one variable for all threads; a thread that runs a
// subinterpreter holds the GIL with a state that it does not know as its own.
static struct interpreter_thread thread_before_3_12(void)
{
    uintptr_t own = (uintptr_t)python.this_thread_state();
    uintptr_t holder = (uintptr_t)python.current_state();
    if (holder != 0 && holder != own) {
        struct probe probe = {0};
        uintptr_t id = probe_word(&probe, holder + interpreter.layout.state_thread_id);
        if (id == thread_pointer()) {
            own = holder;
        }
    }
    return (struct interpreter_thread){own, own != 0 && own == holder};
}

struct interpreter_thread interpreter_thread(void)
{
    if (!interpreter.can_walk) {
        return (struct interpreter_thread){0, false};
    }
    if (interpreter.layout.minor < 12) {
        return thread_before_3_12();
    }
    uintptr_t current = thread_local_word(interpreter.current_slot);
    if (interpreter.gilstate_slot == 0) {
        uintptr_t own = current ? current : (uintptr_t)python.this_thread_state();
        return (struct interpreter_thread){own, current != 0};
    }
    // Which of the two slots is which does not matter: the current one is 0 without the GIL.
    uintptr_t own = thread_local_word(interpreter.gilstate_slot);
    return (struct interpreter_thread){own ? own : current, own != 0 && current != 0};
}

uintptr_t interpreter_thread_state(void)
{
    if (!interpreter.can_walk) {
        return 0;
    }
    uintptr_t own = 0;
    if (interpreter.gilstate_slot != 0) {
        own = thread_local_word(interpreter.gilstate_slot);
    }
    if (own == 0 && interpreter.current_slot != 0) {
        own = thread_local_word(interpreter.current_slot);
    }
    if (own == 0 && interpreter.gilstate_slot == 0) {
        own = (uintptr_t)python.this_thread_state();
    }
    return own;
}

// At the very end it says no again, while blocks are still given back.
bool interpreter_is_finalizing(void)
{
    static atomic_bool has_begun;
    if (!atomic_load_explicit(&has_begun, memory_order_relaxed) && python.is_finalizing &&
        python.is_finalizing()) {
        atomic_store_explicit(&has_begun, true, memory_order_relaxed);
    }
    return atomic_load_explicit(&has_begun, memory_order_relaxed);
}

bool interpreter_owns_lock(const void *lock)
{
    return (uintptr_t)lock - interpreter.runtime_start <
           interpreter.runtime_end - interpreter.runtime_start;
}
