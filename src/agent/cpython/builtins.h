// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a program can call: the builtin `profile`, a decorator that changes nothing and tells the
// collector which functions to report about. Its module, which no other name leads to, has `start`
// and `stop` besides, and finds the Python package (package_finder.h). Context: holds the GIL.

void builtins_install(void);
