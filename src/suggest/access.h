// SPDX-License-Identifier: Apache-2.0
#pragma once

// How to reach a provider: where, which model, with which key. Keys are read from the environment
// or handed over by the page, live in this process's memory alone, and our copies are wiped when
// they have been used.

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

struct provider;

struct access {
    char *address; // without a slash at its end
    char *model;
    char *key;           // NULL: none
    char *key_id;        // of a key that signs instead of being sent; NULL: it is sent
    char *session_token; // beside such a key; NULL: none
    char *region;        // of the provider's machines; NULL: it has none
};

// What a user asks for explicitly; NULL: as the environment and the table of providers say.
struct access_wish {
    const char *address;
    const char *model;
    const char *key;
    bool is_from_page; // an address from there never gets a key from the environment
};

// False if something is missing or must not be: the sentence says what to do.
bool access_open(struct access *access, const struct provider *provider,
                 const struct access_wish *wish, struct error *err)
    __attribute__((warn_unused_result));
void access_clear(struct access *access);

// From now on this process leaves no core dump and shows its memory and environment to nobody else.
void access_guard(void);

// Replaces every key in a text: a server may repeat what it was sent.
void access_hide_keys(const struct access *access, struct text *text);

// The first of these variables that is set and not empty; NULL. The list ends with NULL.
const char *access_variable(const char *const *names);
