// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/package_finder.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "agent/cpython/interpreter.h"
#include "agent/session.h"
#include "agent/syscall.h"

#define PACKAGE      "scalene"
#define FOLDER_BYTES 4096

static struct {
    void (*retain)(void *object);
    void (*release)(void *object);
    void (*clear_error)(void);
    void *(*item)(void *sequence, intptr_t index);
    const char *(*text)(void *object); // PyUnicode_AsUTF8
    void *(*import)(const char *name);
    void *(*attribute)(void *object, const char *name);
    void *(*call)(void *object, const char *method, const char *format, ...);
    void *none;
} python;

static bool find_functions(void)
{
    python.retain = (void (*)(void *))interpreter_symbol("Py_IncRef");
    python.release = (void (*)(void *))interpreter_symbol("Py_DecRef");
    python.clear_error = (void (*)(void))interpreter_symbol("PyErr_Clear");
    python.item = (void *(*)(void *, intptr_t))interpreter_symbol("PySequence_GetItem");
    python.text = (const char *(*)(void *))interpreter_symbol("PyUnicode_AsUTF8");
    python.import = (void *(*)(const char *))interpreter_symbol("PyImport_ImportModule");
    python.attribute =
        (void *(*)(void *, const char *))interpreter_symbol("PyObject_GetAttrString");
    python.call = (void *(*)(void *, const char *, const char *, ...))interpreter_symbol(
        "PyObject_CallMethod");
    python.none = interpreter_symbol("_Py_NoneStruct");
    return python.retain && python.release && python.clear_error && python.item && python.text &&
           python.import && python.attribute && python.call && python.none;
}

void package_finder_install(void *module)
{
    void *(*get)(const char *) = (void *(*)(const char *))interpreter_symbol("PySys_GetObject");
    int (*append)(void *, void *) = (int (*)(void *, void *))interpreter_symbol("PyList_Append");
    void *finders = get && append && find_functions() ? get("meta_path") : NULL;
    if (finders && !session.is_live) { // who has begun it from within has the package
        append(finders, module);
        python.clear_error();
    }
}

static bool is_our_name(void *arguments)
{
    void *name = python.item(arguments, 0);
    const char *text = name ? python.text(name) : NULL;
    bool is_ours = text && strcmp(text, PACKAGE) == 0;
    if (name) {
        python.release(name);
    }
    return is_ours;
}

static bool read_folder(char folder[FOLDER_BYTES])
{
    char link[SESSION_PATH_MAX + 16];
    snprintf(link, sizeof link, "%s/%s", session.run_dir, CONTROL_PACKAGE);
    long len = raw_readlink(link, folder, FOLDER_BYTES - 1);
    folder[len > 0 ? len : 0] = '\0';
    return len > 0;
}

// By the finder that finds all other packages, which is there from the start; NULL.
static void *look_in(const char *folder)
{
    void *library = python.import("_frozen_importlib_external");
    void *finder = library ? python.attribute(library, "PathFinder") : NULL;
    void *found = finder ? python.call(finder, "find_spec", "s[s]", PACKAGE, folder) : NULL;
    if (finder) {
        python.release(finder);
    }
    if (library) {
        python.release(library);
    }
    return found;
}

void *package_finder_find(void *module, void *arguments)
{
    (void)module;
    char folder[FOLDER_BYTES];
    void *found = is_our_name(arguments) && read_folder(folder) ? look_in(folder) : NULL;
    if (!found) {
        python.clear_error();
        python.retain(python.none);
        found = python.none;
    }
    return found;
}
