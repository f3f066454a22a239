// SPDX-License-Identifier: Apache-2.0
#pragma once

// The manual page: text written by hand (docs/scalene.1.in), in which lines that begin with
// `.\" insert` stand for what the tables of commands and options say:
//   .\" insert synopsis
//   .\" insert options COMMAND basic|advanced
//   .\" insert keys

#include "base/error.h"
#include "base/text.h"

__attribute__((warn_unused_result)) bool manual_add(struct text *out, const char *frame,
                                                    struct error *err);
