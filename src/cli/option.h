// SPDX-License-Identifier: Apache-2.0
#pragma once

// Options of a subcommand, described in one table from which the parser, the help texts and the
// keys of the configuration file come. Values go into a struct of the subcommand's, at an offset.

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

enum option_group {
    OPTION_BASIC,    // shown by --help
    OPTION_ADVANCED, // shown by --help-advanced
    OPTION_HIDDEN,   // works, is not shown
    OPTION_LEGACY,   // did something in older versions; read over, only in full
};

enum option_kind {
    OPTION_TRUE,    // bool
    OPTION_FALSE,   // bool
    OPTION_TEXT,    // char *, owned by the settings; NULL: not given
    OPTION_NUMBER,  // double
    OPTION_COUNT,   // uint64_t
    OPTION_NOTHING, // not stored; takes a value if `argument` names one
};

struct option {
    const char *name; // without its dashes
    char letter;      // its short form; 0: none
    enum option_kind kind;
    enum option_group group;
    size_t target;        // offset in the settings
    const char *argument; // what the help calls its value; NULL: takes none
    const char *help;
    const char *key;       // in the configuration file; NULL: none
    const char *key_alias; // another name for it
    double least;          // of a number
    double most;           // 0: of a count there is none
    const char *excludes;  // the name of an option that may not stand beside this one
};

struct option_table {
    const struct option *options;
    size_t count;
    const char *stop_letters; // "m": -m ends our options, and so does what begins with it
};

// Reads options until the first word that is none ("prog.py", "-", "--", "---", -m) into
// `settings`; *used is how many words that took. The error is a sentence about misuse.
__attribute__((warn_unused_result)) bool option_parse(const struct option_table *table, int count,
                                                      char **words, void *settings, int *used,
                                                      struct error *err);

// Stores one value; `name` stands for it in messages. A flag reads true, false, yes, no, on, off.
__attribute__((warn_unused_result)) bool option_store(const struct option *option, const char *name,
                                                      const char *value, void *settings,
                                                      struct error *err);

// The option with this key in the configuration file, dashes and underscores alike; NULL.
const struct option *option_by_key(const struct option_table *table, const char *key);

// Frees the texts.
void option_clear(const struct option_table *table, void *settings);
