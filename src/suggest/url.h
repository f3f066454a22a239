// SPDX-License-Identifier: Apache-2.0
#pragma once

// Addresses of providers.

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

// Percent-encodes all but letters, digits and "-._~".
void url_encode(struct text *out, const char *text, size_t len);

// http or https, a host, no user name, nothing that would end a line.
bool url_check(const char *url, struct error *err) __attribute__((warn_unused_result));

// "api.openai.com", "localhost:11434": the host with its port.
void url_add_host(struct text *out, const char *url);
bool url_is_local(const char *url);     // this computer: nothing leaves it
bool url_is_encrypted(const char *url); // https
bool url_has_path(const char *url);     // more than "/"
