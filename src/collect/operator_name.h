// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions of PyTorch, JAX and TensorFlow as a person names them. Theirs are templates over types
// and dispatch keys whose full names fill a screen; what one looks for is the operator:
// `at::native::(anonymous namespace)::add_kernel(at::TensorIteratorBase&, ...)` is
// `at::native::add_kernel`, and every step of calling `mm` is `at::mm`. The same for the libraries
// that they are made of, and for the standard library where it works on their types.

#include <stdbool.h>

#include "base/text.h"

// `name` is demangled. False, and nothing added, when it is not one of theirs.
bool operator_name(struct text *out, const char *name);

// Whether the name was made here: calls of one operator within itself are then steps of one call.
bool operator_name_is(const char *name);

// The way from one operator to the next, of no interest by itself.
bool operator_name_is_step(const char *name);

// A place in one of their files that has no name there, as most have where a system ships them
// stripped: within an operator, it is a step of it.
bool operator_name_is_unnamed(const char *name);
