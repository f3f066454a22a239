// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/task_list.h"

#include "agent/cpython/interpreter.h"
#include "agent/cpython/task.h"

#define SET_USED    24 // PySetObject
#define SET_MASK    32
#define SET_TABLE   40
#define WEAK_OBJECT 16
#define NO_HASH     UINTPTR_MAX // of an entry that is no more

struct set_entry {
    uintptr_t key; // a weak reference
    uintptr_t hash;
};

static struct {
    void *(*modules)(void);
    void *(*item)(void *, const char *);
    void *(*names)(void *);
    void *(*attribute)(void *, const char *);
    void (*release)(void *);
    void (*clear_error)(void);
    uintptr_t weak_type;
    void *(*interpreter)(void);
    void *(*first_thread)(void *);
    void *(*next_thread)(void *);
    bool is_known;
} python;

static uintptr_t word_at(uintptr_t address)
{
    return *(const uintptr_t *)address;
}

bool task_list_learn(void)
{
    python.modules = (void *(*)(void))interpreter_symbol("PyImport_GetModuleDict");
    python.item = (void *(*)(void *, const char *))interpreter_symbol("PyDict_GetItemString");
    python.names = (void *(*)(void *))interpreter_symbol("PyModule_GetDict");
    python.attribute =
        (void *(*)(void *, const char *))interpreter_symbol("PyObject_GetAttrString");
    python.release = (void (*)(void *))interpreter_symbol("Py_DecRef");
    python.clear_error = (void (*)(void))interpreter_symbol("PyErr_Clear");
    python.weak_type = (uintptr_t)interpreter_symbol("_PyWeakref_RefType");
    python.interpreter = (void *(*)(void))interpreter_symbol("PyInterpreterState_Get"); // 3.9 on
    python.first_thread = (void *(*)(void *))interpreter_symbol("PyInterpreterState_ThreadHead");
    python.next_thread = (void *(*)(void *))interpreter_symbol("PyThreadState_Next");
    python.is_known = task_is_known() && python.modules && python.item && python.names &&
                      python.attribute && python.release && python.clear_error &&
                      python.weak_type &&
                      (task_list_offset() < 0 ||
                       (python.interpreter && python.first_thread && python.next_thread));
    return python.is_known;
}

// Its own reference; NULL: asyncio is not there.
static void *get_set(void)
{
    void *module = python.is_known ? python.item(python.modules(), "_asyncio") : NULL;
    void *names = module ? python.names(module) : NULL;
    void *weak_set = names ? python.item(names, "_scheduled_tasks") : NULL;
    weak_set = weak_set || !names ? weak_set : python.item(names, "_all_tasks"); // before 3.12
    void *set = weak_set ? python.attribute(weak_set, "data") : NULL;
    if (weak_set && !set) {
        python.clear_error();
    }
    return set;
}

static bool is_due(const struct task_scan *scan, size_t number)
{
    return number >= scan->first && (number - scan->first) % scan->stride == 0;
}

// False: the visitor has seen enough.
static bool show(const struct task_scan *scan, uintptr_t task)
{
    return task == 0 || !task_type_of(task) || scan->visitor(scan->context, task);
}

// What a weak reference leads to: None when that is gone.
static uintptr_t behind(uintptr_t reference)
{
    bool is_weak =
        word_at(reference + (uintptr_t)interpreter.layout.object_type) == python.weak_type;
    return is_weak ? word_at(reference + WEAK_OBJECT) : 0;
}

static void scan_set(const struct task_scan *scan, uintptr_t set)
{
    uintptr_t mask = word_at(set + SET_MASK);
    const struct set_entry *entries = (const struct set_entry *)word_at(set + SET_TABLE);
    size_t number = 0;
    bool goes_on = true;
    for (uintptr_t i = 0; i <= mask && goes_on; i++) {
        if (entries[i].key && entries[i].hash != NO_HASH && is_due(scan, number++)) {
            goes_on = show(scan, behind(entries[i].key));
        }
    }
}

// Adds to `number` how many there are. No `scan`: only that.
static bool scan_list(const struct task_scan *scan, uintptr_t head, size_t *number)
{
    uintptr_t node = word_at(head);
    bool goes_on = true;
    while (node && node != head && goes_on) {
        goes_on = !scan || !is_due(scan, *number) || show(scan, task_of_node(node));
        ++*number;
        node = word_at(node);
    }
    return goes_on;
}

// Python's threads have a list each.
static size_t scan_lists(const struct task_scan *scan, enum task_scope scope)
{
    uintptr_t offset = (uintptr_t)task_list_offset();
    size_t number = 0;
    if (scope == TASKS_OF_THREAD) {
        uintptr_t state = interpreter_thread_state();
        if (state) {
            scan_list(scan, state + offset, &number);
        }
        return number;
    }
    bool goes_on = true;
    for (void *state = python.first_thread(python.interpreter()); state && goes_on;
         state = python.next_thread(state)) {
        goes_on = scan_list(scan, (uintptr_t)state + offset, &number);
    }
    return number;
}

bool task_list_has_lists(void)
{
    return python.is_known && task_list_offset() >= 0;
}

size_t task_list_count(enum task_scope scope)
{
    if (task_list_has_lists()) {
        return scan_lists(NULL, scope);
    }
    void *set = get_set();
    size_t count = set ? word_at((uintptr_t)set + SET_USED) : 0;
    if (set) {
        python.release(set);
    }
    return count;
}

void task_list_scan(const struct task_scan *scan)
{
    if (task_list_has_lists()) {
        scan_lists(scan, scan->scope);
        return;
    }
    void *set = get_set();
    if (set) {
        scan_set(scan, (uintptr_t)set);
        python.release(set);
    }
}
