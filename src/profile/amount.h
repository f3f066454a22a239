// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers as a person reads them: three digits at most, and a unit.

#include "base/text.h"

// "85ms", "5.80s", "12.3s", "200s", "90m".
void amount_duration(struct text *out, double seconds);

// "41%", below one "0.4%" or "<0.1%", nothing for zero.
void amount_percent(struct text *out, double percent);

// "640K", "9.5M", "512M", "1.50G". Nothing for zero.
void amount_size(struct text *out, double mb);
