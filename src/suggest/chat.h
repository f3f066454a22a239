// SPDX-License-Identifier: Apache-2.0
#pragma once

// The chat protocol that OpenAI's service and those who follow it speak.

#include <jansson.h>

#include "suggest/answer.h"
#include "suggest/prompt.h"

// {"model": ..., "messages": [...], "stream": true}; the caller owns it.
json_t *chat_document(const char *model, const struct prompt *prompt);
void chat_read(struct answer *answer, const json_t *document);
