// SPDX-License-Identifier: Apache-2.0
#pragma once

// Options of a subcommand, described in one table from which the parser, the help texts, the keys
// of configuration files, the completions of shells and the manual page come. Values go into a
// struct of the subcommand's, at an offset.

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

// What a text is: shells complete it, and in a project's file it is relative to that file.
enum option_content {
    OPTION_PLAIN,
    OPTION_FILE,
    OPTION_FOLDER,
    OPTION_PROGRAM, // a path, or a name to be found in PATH
};

struct option {
    const char *name; // without its dashes; also its key in a configuration file
    char letter;      // its short form; 0: none
    enum option_kind kind;
    enum option_group group;
    size_t target;        // offset in the settings
    const char *argument; // what the help calls its value; NULL: takes none
    enum option_content content;
    const char *help;      // a phrase, without a full stop
    const char *more;      // sentences that only the manual page has; NULL: none
    const char *key_alias; // another key for it
    bool is_line_only;     // no key of a configuration file
    bool is_whole_only;    // never cut short
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

// The one word that may stand among a command's options.
struct option_operand {
    const char **word;
    const char *rule; // what is said of a second one, up to "; '...' is one too many"
};

// Options before and after that word, to the end.
__attribute__((warn_unused_result)) bool
option_parse_around(const struct option_table *table, int count, char **words, void *settings,
                    const struct option_operand *operand, struct error *err);

// Stores one value; `name` stands for it in messages. A flag reads true, false, yes, no, on, off.
__attribute__((warn_unused_result)) bool option_store(const struct option *option, const char *name,
                                                      const char *value, void *settings,
                                                      struct error *err);

// The option with this key in a configuration file, dashes and underscores alike; NULL.
const struct option *option_by_key(const struct option_table *table, const char *key);

// The shown option whose name is nearest to a mistyped one; NULL when none is near.
const char *option_nearest(const struct option_table *table, const char *name);

// Frees the texts.
void option_clear(const struct option_table *table, void *settings);
