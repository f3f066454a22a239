// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lets a program import the package `scalene` that lies beside the command, where its interpreter
// holds none: the last of sys.meta_path, asked for what nobody else has found. Nothing is loaded
// before that. Context: holds the GIL.

// `module` has the function below as its `find_spec`.
void package_finder_install(void *module);

// find_spec(name, path, target), as importlib calls it.
void *package_finder_find(void *module, void *arguments);
