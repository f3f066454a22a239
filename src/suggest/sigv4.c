// SPDX-License-Identifier: Apache-2.0
#include "suggest/sigv4.h"

#include <string.h>

#include "suggest/sha256.h"
#include "suggest/url.h"

#define DATE_LEN 8

static void add_hash(struct text *out, const char *text, size_t len)
{
    char hex[SHA256_HEX_SIZE];
    struct sha256 digest = sha256_of(text, len);
    sha256_hex(&digest, hex);
    text_add(out, hex);
}

static const char *signed_headers(const struct sigv4_request *request)
{
    return request->session_token ? "content-type;host;x-amz-date;x-amz-security-token"
                                  : "content-type;host;x-amz-date";
}

// Each part of the path is encoded once more than it was for sending.
static void add_canonical_path(struct text *out, const char *path)
{
    while (*path) {
        size_t len = strcspn(path, "/");
        url_encode(out, path, len);
        path += len;
        if (*path) {
            text_add_char(out, *path++);
        }
    }
}

static void add_canonical_request(struct text *out, const struct sigv4_request *request)
{
    text_format(out, "%s\n", request->method);
    add_canonical_path(out, request->path);
    text_format(out, "\n\ncontent-type:application/json\nhost:%s\nx-amz-date:%s\n", request->host,
                request->time);
    if (request->session_token) {
        text_format(out, "x-amz-security-token:%s\n", request->session_token);
    }
    text_format(out, "\n%s\n", signed_headers(request));
    add_hash(out, request->body ? request->body : "", request->body_len);
}

static void add_scope(struct text *out, const struct sigv4_request *request)
{
    text_format(out, "%.*s/%s/%s/aws4_request", DATE_LEN, request->time, request->region,
                request->service);
}

static struct sha256 next_key(const struct sha256 *key, const char *word, size_t len)
{
    return sha256_hmac(key->bytes, sizeof key->bytes, word, len);
}

static struct sha256 signing_key(const struct sigv4_request *request)
{
    struct text first = {0};
    text_format(&first, "AWS4%s", request->secret);
    struct sha256 key = sha256_hmac(first.data, first.len, request->time, DATE_LEN);
    explicit_bzero(first.data, first.len);
    text_clear(&first);
    key = next_key(&key, request->region, strlen(request->region));
    key = next_key(&key, request->service, strlen(request->service));
    return next_key(&key, "aws4_request", strlen("aws4_request"));
}

void sigv4_sign(struct text *authorization, const struct sigv4_request *request)
{
    struct text canonical = {0};
    struct text to_sign = {0};
    char hex[SHA256_HEX_SIZE];
    add_canonical_request(&canonical, request);
    text_format(&to_sign, "AWS4-HMAC-SHA256\n%s\n", request->time);
    add_scope(&to_sign, request);
    text_add_char(&to_sign, '\n');
    add_hash(&to_sign, canonical.data, canonical.len);
    struct sha256 key = signing_key(request);
    struct sha256 signature = next_key(&key, to_sign.data, to_sign.len);
    sha256_hex(&signature, hex);
    text_format(authorization, "AWS4-HMAC-SHA256 Credential=%s/", request->key_id);
    add_scope(authorization, request);
    text_format(authorization, ", SignedHeaders=%s, Signature=%s", signed_headers(request), hex);
    explicit_bzero(&key, sizeof key);
    explicit_bzero(canonical.data, canonical.len);
    text_clear(&canonical);
    text_clear(&to_sign);
}
