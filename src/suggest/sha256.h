// SPDX-License-Identifier: Apache-2.0
#pragma once

// SHA-256 and HMAC over it (FIPS 180-4, RFC 2104), for signing a few kilobytes. A library would be
// one more that every start has to load, or one more that may be missing beside libcurl, whose own
// is GnuTLS here and OpenSSL there.

#include <stddef.h>

#define SHA256_BYTES    32
#define SHA256_HEX_SIZE 65 // with its NUL

struct sha256 {
    unsigned char bytes[SHA256_BYTES];
};

struct sha256 sha256_of(const void *data, size_t len);
struct sha256 sha256_hmac(const void *key, size_t key_len, const void *data, size_t len);
void sha256_hex(const struct sha256 *digest, char hex[SHA256_HEX_SIZE]);
