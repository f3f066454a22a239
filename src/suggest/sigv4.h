// SPDX-License-Identifier: Apache-2.0
#pragma once

// AWS Signature Version 4 of one request. Our own, since libcurl's signs a path unencoded before
// 8.9 or so, and every model name with a colon then fails.

#include <stddef.h>

#include "base/text.h"

#define SIGV4_TIME_SIZE 17 // "20261116T101500Z"

struct sigv4_request {
    const char *method;
    const char *host;
    const char *path; // as it is sent, encoded once
    const char *body; // may be empty
    size_t body_len;
    const char *time; // of SIGV4_TIME_SIZE
    const char *region;
    const char *service;
    const char *key_id;
    const char *secret;
    const char *session_token; // NULL: none
};

// The value of the header Authorization. What is signed beside host, x-amz-date and
// x-amz-security-token is content-type: application/json, which the request must have.
void sigv4_sign(struct text *authorization, const struct sigv4_request *request);
