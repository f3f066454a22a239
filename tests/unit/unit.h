// SPDX-License-Identifier: Apache-2.0
#pragma once

// cmocka with what it needs in front of it, in an order that sorting would break.

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
