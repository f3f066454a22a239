// SPDX-License-Identifier: Apache-2.0
#include "collect/entry_scan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define NAME_MAX_LEN      100
#define OBJECT_SIZE_MAX   4096
#define BASE_DEPTH_MAX    16
#define METHOD_COUNT_MAX  1000
#define PAGE_SIZE         4096 // no address is below
#define SLOT_COUNT_MAX    120
#define TYPE_IS_EXCEPTION (1u << 30) // of a type's flags

// Offsets in struct _typeobject.
enum {
    TYPE_SIZE_FIELD = 16,
    TYPE_NAME = 24,
    TYPE_BASIC_SIZE = 32,
    TYPE_ITEM_SIZE = 40,
    TYPE_DEALLOC = 48,
    TYPE_VECTORCALL_OFFSET = 56,
    TYPE_CALL = 128,
    TYPE_FLAGS = 168,
    TYPE_DOC = 176,
    TYPE_METHODS = 232,
    TYPE_BASE = 256,
    TYPE_INIT = 296,
    TYPE_NEW = 312,
    TYPE_VECTORCALL = 400,
};

// Offsets in struct PyModuleDef.
enum { MODULE_NAME = 40, MODULE_SIZE = 56, MODULE_METHODS = 64 };

// The parts of a type that hold functions, with what Python calls them.
static const struct {
    uint16_t offset;
    const char *name;
} type_functions[] = {
    {TYPE_DEALLOC, "dealloc"},
    {64, "__getattr__"},
    {72, "__setattr__"},
    {88, "__repr__"},
    {120, "__hash__"},
    {TYPE_CALL, "__call__"},
    {136, "__str__"},
    {144, "__getattribute__"},
    {152, "__setattr__"},
    {184, "traverse"},
    {192, "clear"},
    {200, "compare"},
    {216, "__iter__"},
    {224, "__next__"},
    {272, "__get__"},
    {280, "__set__"},
    {TYPE_INIT, "__init__"},
    {304, "alloc"},
    {TYPE_NEW, "__new__"},
    {320, "free"},
    {328, "is_gc"},
    {376, "__del__"},
    {392, "finalize"},
    {TYPE_VECTORCALL, "vectorcall"},
};

// The tables of operators that a type points to; the names are in the order of the fields.
static const struct {
    uint16_t offset;
    const char *names[20];
} type_operators[] = {
    {96,
     {"__add__", "__sub__", "__mul__", "__mod__", "__divmod__", "__pow__", "__neg__", "__pos__",
      "__abs__", "__bool__", "__invert__", "__lshift__", "__rshift__", "__and__", "__xor__",
      "__or__", "__int__", NULL, "__float__"}},
    {104,
     {"__len__", "__add__", "__mul__", "__getitem__", NULL, "__setitem__", NULL, "__contains__",
      "__iadd__", "__imul__"}},
    {112, {"__len__", "__getitem__", "__setitem__"}},
};

// Numbers of the slots in a type's specification that matter here.
enum {
    SLOT_CALL = 50,
    SLOT_DEALLOC = 52,
    SLOT_INIT = 60,
    SLOT_METHODS = 64,
    SLOT_NEW = 65,
    SLOT_VECTORCALL = 82,
    SLOT_LAST = 110,
};

static uint64_t word(const struct entry_scan *scan, uint64_t address)
{
    return loaded_data_word(scan->data, address);
}

static const char *name_at(const struct entry_scan *scan, uint64_t address, bool is_type)
{
    const char *text = loaded_data_text(scan->data, address, NAME_MAX_LEN);
    if (!text || !(isalpha((unsigned char)text[0]) || text[0] == '_')) {
        return NULL;
    }
    for (const char *at = text; *at; at++) {
        if (!isalnum((unsigned char)*at) && *at != '_' && !(is_type && strchr(".- ", *at))) {
            return NULL;
        }
    }
    return text;
}

static bool is_function(const struct entry_scan *scan, uint64_t address)
{
    return loaded_data_is_code(scan->data, address) &&
           function_table_has_start(scan->functions, address);
}

static bool is_data_or_null(const struct entry_scan *scan, uint64_t address)
{
    return address == 0 || loaded_data_holds(scan->data, address);
}

static bool is_method(const struct entry_scan *scan, uint64_t address)
{
    uint64_t flags = word(scan, address + 16);
    return flags != 0 && flags < 0x800 && is_function(scan, word(scan, address + 8)) &&
           is_data_or_null(scan, word(scan, address + 24)) &&
           name_at(scan, word(scan, address), false);
}

// Names beginning with two underscores are also run without a call, by operators.
static void add_method(struct entry_scan *scan, uint64_t address, const char *owner)
{
    const char *name = name_at(scan, word(scan, address), false);
    uint64_t function = word(scan, address + 8);
    if (strncmp(name, "__", 2) != 0) {
        entry_points_add(scan->points, function, ENTRY_ROLE_ENTRY);
    }
    entry_points_label(scan->points, function, owner, name);
}

static void add_methods(struct entry_scan *scan, uint64_t address, const char *owner)
{
    for (int i = 0; i < METHOD_COUNT_MAX && is_method(scan, address); i++, address += 32) {
        add_method(scan, address, owner);
    }
}

static bool is_type(const struct entry_scan *scan, uint64_t address)
{
    bool has_function = false;
    if (word(scan, address + TYPE_SIZE_FIELD) != 0 ||
        word(scan, address + TYPE_BASIC_SIZE) > OBJECT_SIZE_MAX ||
        word(scan, address + TYPE_ITEM_SIZE) > 64 ||
        word(scan, address + TYPE_VECTORCALL_OFFSET) > OBJECT_SIZE_MAX ||
        word(scan, address + TYPE_FLAGS) >> 32 != 0 ||
        !is_data_or_null(scan, word(scan, address + 8)) ||
        !is_data_or_null(scan, word(scan, address + TYPE_DOC)) ||
        !is_data_or_null(scan, word(scan, address + TYPE_METHODS)) ||
        !is_data_or_null(scan, word(scan, address + TYPE_BASE)) ||
        !name_at(scan, word(scan, address + TYPE_NAME), true)) {
        return false;
    }
    for (size_t i = 0; i < sizeof type_functions / sizeof *type_functions; i++) {
        uint64_t function = word(scan, address + type_functions[i].offset);
        if (function != 0 && !loaded_data_is_code(scan->data, function)) {
            return false;
        }
        has_function |= function != 0;
    }
    return has_function;
}

static void remember_type(struct entry_scan *scan, uint64_t address)
{
    if (map_get(&scan->known_types, address) != 0) {
        return;
    }
    map_put(&scan->known_types, address, 1);
    scan->types =
        mem_grow(scan->types, scan->type_count, &scan->type_capacity, sizeof *scan->types);
    scan->types[scan->type_count++] = address;
}

void entry_scan_add_type(struct entry_scan *scan, uint64_t address, const char *symbol)
{
    static const char *const python_callables[] = {"PyFunction_Type", "PyMethod_Type",
                                                   "PyType_Type"};
    static const char *const c_callables[] = {"PyCFunction_Type", "PyCMethod_Type",
                                              "PyMethodDescr_Type", "PyClassMethodDescr_Type"};
    if (!name_at(scan, word(scan, address + TYPE_NAME), true)) {
        return;
    }
    remember_type(scan, address);
    for (size_t i = 0; i < sizeof python_callables / sizeof *python_callables; i++) {
        if (strcmp(symbol, python_callables[i]) == 0) {
            entry_points_exclude(scan->points, word(scan, address + TYPE_CALL));
        }
    }
    for (size_t i = 0; i < sizeof c_callables / sizeof *c_callables; i++) {
        if (strcmp(symbol, c_callables[i]) == 0) {
            uint64_t function = word(scan, address + TYPE_CALL);
            entry_points_add(scan->points, function, ENTRY_ROLE_TRAMPOLINE);
        }
    }
    if (strcmp(symbol, "PyBaseObject_Type") == 0) { // every Python class has these too
        entry_points_exclude(scan->points, word(scan, address + TYPE_NEW));
        entry_points_exclude(scan->points, word(scan, address + TYPE_INIT));
    }
}

static bool is_exception(const struct entry_scan *scan, uint64_t type)
{
    for (int i = 0; i < BASE_DEPTH_MAX && type != 0; i++) {
        if (word(scan, type + TYPE_FLAGS) & TYPE_IS_EXCEPTION) {
            return true;
        }
        type = word(scan, type + TYPE_BASE);
    }
    return false;
}

static void label_operators(struct entry_scan *scan, uint64_t type, const char *name)
{
    for (size_t i = 0; i < sizeof type_operators / sizeof *type_operators; i++) {
        uint64_t table = word(scan, type + type_operators[i].offset);
        for (size_t j = 0; table != 0 && j < 20; j++) {
            uint64_t function = word(scan, table + 8 * j);
            if (type_operators[i].names[j] && is_function(scan, function)) {
                entry_points_label(scan->points, function, name, type_operators[i].names[j]);
            }
        }
    }
}

static void add_type(struct entry_scan *scan, uint64_t type)
{
    static const uint16_t entries[] = {TYPE_CALL, TYPE_INIT, TYPE_NEW, TYPE_VECTORCALL};
    const char *name = name_at(scan, word(scan, type + TYPE_NAME), true);
    scan->points->type_count++;
    entry_points_add(scan->points, word(scan, type + TYPE_DEALLOC), ENTRY_ROLE_DEALLOC);
    bool is_raised = is_exception(scan, type);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        uint64_t function = word(scan, type + entries[i]);
        if (is_raised) {
            entry_points_exclude(scan->points, function);
        } else {
            entry_points_add(scan->points, function, ENTRY_ROLE_ENTRY);
        }
    }
    add_methods(scan, word(scan, type + TYPE_METHODS), name);
    label_operators(scan, type, name);
    for (size_t i = 0; i < sizeof type_functions / sizeof *type_functions; i++) {
        uint64_t function = word(scan, type + type_functions[i].offset);
        if (is_function(scan, function)) {
            entry_points_label(scan->points, function, name, type_functions[i].name);
        }
    }
}

static void add_slot(struct entry_scan *scan, unsigned number, uint64_t value, const char *owner)
{
    switch (number) {
    case SLOT_DEALLOC:
        entry_points_add(scan->points, value, ENTRY_ROLE_DEALLOC);
        entry_points_label(scan->points, value, owner, "dealloc");
        break;
    case SLOT_CALL:
    case SLOT_INIT:
    case SLOT_NEW:
    case SLOT_VECTORCALL:
        entry_points_add(scan->points, value, ENTRY_ROLE_ENTRY);
        entry_points_label(scan->points, value, owner,
                           number == SLOT_CALL   ? "__call__"
                           : number == SLOT_INIT ? "__init__"
                           : number == SLOT_NEW  ? "__new__"
                                                 : "vectorcall");
        break;
    case SLOT_METHODS:
        add_methods(scan, value, owner);
        break;
    default:
        break;
    }
}

// The number, flags that 3.15 added, and nothing above; then a value.
static unsigned slot_number(const struct entry_scan *scan, uint64_t address)
{
    uint64_t head = word(scan, address);
    unsigned number = head & 0xffff;
    return head >> 19 == 0 && number <= SLOT_LAST && word(scan, address + 8) != 0 ? number : 0;
}

// A type's specification: name, two sizes, flags, slots.
static void add_specification(struct entry_scan *scan, uint64_t address)
{
    uint64_t slots = word(scan, address + 24);
    uint64_t sizes = word(scan, address + 8);
    if (word(scan, address + 16) == 0 || word(scan, address + 16) >> 32 != 0 || sizes >> 32 > 64 ||
        (uint32_t)sizes > OBJECT_SIZE_MAX || slots == 0 || slots % 8 != 0 ||
        slot_number(scan, slots) == 0) {
        return;
    }
    const char *name = name_at(scan, word(scan, address), true);
    for (int i = 0; name && i < SLOT_COUNT_MAX; i++, slots += 16) {
        unsigned number = slot_number(scan, slots);
        if (number == 0) {
            break;
        }
        add_slot(scan, number, word(scan, slots + 8), name);
    }
}

// A module's definition: an object without a type yet, four empty fields, name, documentation,
// size, methods.
static void label_module(struct entry_scan *scan, uint64_t address)
{
    for (unsigned offset = 8; offset <= 32; offset += 8) {
        if (word(scan, address + offset) != 0) {
            return;
        }
    }
    uint64_t methods = word(scan, address + MODULE_METHODS);
    if (word(scan, address) == 0 || methods == 0 || methods % 8 != 0 ||
        word(scan, address + MODULE_SIZE) + 1 > 1 << 20) {
        return;
    }
    const char *name = name_at(scan, word(scan, address + MODULE_NAME), true);
    if (name) {
        add_methods(scan, methods, name);
    }
}

// All tables looked for have a name in them: the rest of the data is passed over once.
static void find_names(struct entry_scan *scan, const struct loaded_segment *segment)
{
    uint64_t end = segment->address + (segment->size & ~(size_t)7);
    for (uint64_t at = (segment->address + 7) & ~UINT64_C(7); at < end; at += 8) {
        uint64_t pointer;
        memcpy(&pointer, segment->bytes + (at - segment->address), sizeof pointer);
        if (pointer > PAGE_SIZE && name_at(scan, pointer, true)) {
            scan->named = mem_grow(scan->named, scan->named_count, &scan->named_capacity,
                                   sizeof *scan->named);
            scan->named[scan->named_count++] = at;
        }
    }
}

// Calls `visit` with where a table would start whose name is at the offset.
static void for_each_named(struct entry_scan *scan, uint64_t offset,
                           void (*visit)(struct entry_scan *, uint64_t))
{
    for (size_t i = 0; i < scan->named_count; i++) {
        visit(scan, scan->named[i] - offset);
    }
}

static void visit_type(struct entry_scan *scan, uint64_t address)
{
    if (is_type(scan, address)) {
        remember_type(scan, address);
    }
}

static void visit_method(struct entry_scan *scan, uint64_t address)
{
    if (is_method(scan, address)) {
        add_method(scan, address, NULL);
        scan->points->method_count++;
    }
}

void entry_scan_run(struct entry_scan *scan)
{
    for (size_t i = 0; i < scan->data->count; i++) {
        const struct loaded_segment *segment = &scan->data->segments[i];
        if (segment->bytes && segment->is_writable) {
            find_names(scan, segment);
        }
    }
    for_each_named(scan, TYPE_NAME, visit_type);
    for (size_t i = 0; i < scan->type_count; i++) {
        add_type(scan, scan->types[i]);
    }
    for_each_named(scan, 0, add_specification);
    for_each_named(scan, MODULE_NAME, label_module);
    for_each_named(scan, 0, visit_method);
}

void entry_scan_clear(struct entry_scan *scan)
{
    free(scan->types);
    free(scan->named);
    scan->named = NULL;
    scan->named_count = scan->named_capacity = 0;
    map_clear(&scan->known_types);
    scan->types = NULL;
    scan->type_count = scan->type_capacity = 0;
}
