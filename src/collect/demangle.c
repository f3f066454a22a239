// SPDX-License-Identifier: Apache-2.0
#include "collect/demangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define LENGTH_MAX       4096 // longer ones are cut, mangled or not
#define RUST_HASH_LENGTH 19   // "::h" and sixteen digits

static const char *const suffixes[] = {"cold",       "constprop", "isra", "llvm",
                                       "localalias", "lto_priv",  "part", "specialized"};

// Once per process, whichever cache asks.
static struct {
    bool is_tried;
    char *(*function)(const char *name, char *buffer, size_t *length, int *status);
} library;

static bool has_library(void)
{
    if (!library.is_tried) {
        library.is_tried = true;
        void *handle = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        void *symbol = handle ? dlsym(handle, "__cxa_demangle") : NULL;
        memcpy(&library.function, &symbol, sizeof symbol);
    }
    return library.function;
}

static bool is_suffix(const char *dot)
{
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t len = strlen(suffixes[i]);
        if (strncmp(dot + 1, suffixes[i], len) == 0 && !isalpha((unsigned char)dot[1 + len])) {
            return true;
        }
    }
    return false;
}

static size_t plain_length(const char *name)
{
    size_t len = 0;
    while (len < LENGTH_MAX && name[len] != '\0' && name[len] != '@' &&
           (name[len] != '.' || len == 0 || !is_suffix(name + len))) {
        len++;
    }
    return len;
}

static size_t without_rust_hash(const char *name, size_t len)
{
    if (len <= RUST_HASH_LENGTH || strncmp(name + len - RUST_HASH_LENGTH, "::h", 3) != 0) {
        return len;
    }
    size_t digits = strspn(name + len - RUST_HASH_LENGTH + 3, "0123456789abcdef");
    return digits == RUST_HASH_LENGTH - 3 ? len - RUST_HASH_LENGTH : len;
}

// Of a name that the library cannot read (it is too long, or newer than the library): the scopes
// that it begins with, which say where one is. Each is its length and itself.
static bool add_scopes(struct text *text, const char *name)
{
    static const char unnamed[] = "_GLOBAL__N_";
    size_t start = text->len;
    name += strspn(name + 2, "ZNKVr") + 2;
    if (strncmp(name, "St", 2) == 0) {
        text_add(text, "std");
        name += 2;
    }
    while (isdigit((unsigned char)*name)) {
        char *word;
        unsigned long len = strtoul(name, &word, 10);
        if (len > strlen(word)) {
            break;
        }
        if (strncmp(word, unnamed, sizeof unnamed - 1) != 0) {
            text_add(text, text->len > start ? "::" : "");
            text_add_bytes(text, word, len);
        }
        name = word + len;
    }
    return text->len > start;
}

void demangle(struct text *text, const char *name)
{
    char *plain = mem_copy_bytes(name, plain_length(name));
    bool is_mangled = strncmp(plain, "_Z", 2) == 0 && has_library();
    int status = -1;
    char *readable = is_mangled ? library.function(plain, NULL, NULL, &status) : NULL;
    if (readable) {
        size_t len = strnlen(readable, LENGTH_MAX);
        text_add_bytes(text, readable, without_rust_hash(readable, len));
    } else if (!is_mangled || !add_scopes(text, plain)) {
        text_add(text, plain);
    }
    free(readable);
    free(plain);
}
