// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which files a profile shows: the program's own, unless asked otherwise. Paths are compared by
// components, never by substrings, so a project below /usr/src or in a folder named
// site-packages-demo is as good as any. In this order:
//
// - A name in angle brackets is ours if it is the program's own or --profile-all is on.
// - What --profile-exclude names is not ours; if --profile-only is given, what it does not name is
//   not ours either. It narrows the choice and never widens it.
// - With --profile-all everything else is ours.
// - The program's own file is ours wherever it lies, and so is a notebook's cell.
// - Libraries (below lib*/pythonX.Y with its os.py, lib-dynload, site-packages, dist-packages) are
//   ours with --profile-system-libraries. Without it only those beside a program that itself lies
//   in a package of a library: who runs a script there wants to know about that package. With
//   `-m module` the program's directory is the current one, so that of an installed tool such as
//   pytest one sees one's own tests.
// - What remains is ours if it lies below the program's directory or directly in its parent.

#include <stdbool.h>
#include <stddef.h>

struct filter {
    const char *program_dir;   // absolute; files below it, or directly in its parent, are ours
    const char *program_name;  // the program's own file, "<string>" or "<stdin>"; NULL: none
    bool has_all;              // --profile-all
    bool has_system_libraries; // --profile-system-libraries
    char **only;               // --profile-only: a file must match one of these, if any
    size_t only_count;
    char **exclude; // --profile-exclude
    size_t exclude_count;
};

// `path` is absolute, or a name in angle brackets.
bool filter_accepts(const struct filter *filter, const char *path);

// Whether an entry of --profile-only or --profile-exclude names the file. Of a file below the
// program's directory the part from that directory's own name on is looked at, of others the whole
// path. The entry matches if it is a run of whole components ("pkg", "pkg/mod", "mod.py"; the
// suffix .py may be left out; with a leading slash the run begins at the root), if it has one of
// *?[ and matches as a glob the last component or the looked-at part, or if it occurs anywhere in
// the looked-at part of a file below the program's directory, in the last component of others.
bool filter_entry_matches(const struct filter *filter, const char *entry, const char *path);

// Whether the path is one of the standard library or of an installed package.
bool filter_is_library(const char *path);

// The same by its name alone, for who may not look at the disk: the path may be of another machine.
bool filter_sounds_like_library(const char *path);

// Whether it is a name that IPython or a Jupyter kernel compiles a cell under.
bool filter_is_notebook_cell(const char *path);
