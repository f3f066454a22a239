// SPDX-License-Identifier: Apache-2.0
#pragma once

// Findings as JSON: the list "findings" of a profile and of the viewer form.

#include <jansson.h>

#include "profile/finding.h"
#include "profile/writer.h"

void finding_list_write(struct writer *writer, const struct finding_list *list);

// From a list that nobody checked.
void finding_list_load(const json_t *root, struct finding_list *list);
