// SPDX-License-Identifier: Apache-2.0
#include "suggest/url.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define URL_MAX 2000

static const char *after_scheme(const char *url)
{
    const char *scheme_end = strstr(url, "://");
    return scheme_end ? scheme_end + 3 : url;
}

static size_t host_len(const char *host)
{
    return strcspn(host, "/?#");
}

void url_encode(struct text *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x80 && (isalnum(c) || (c && strchr("-._~", c)))) {
            text_add_char(out, (char)c);
        } else {
            text_format(out, "%%%02X", c);
        }
    }
}

bool url_check(const char *url, struct error *err)
{
    bool has_scheme = strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0;
    const char *host = after_scheme(url);
    size_t len = host_len(host);
    bool is_plain = strlen(url) <= URL_MAX;
    for (const char *at = url; *at && is_plain; at++) {
        is_plain = *at > 0x20 && *at < 0x7f && !strchr("\"<>\\^`{|}", *at);
    }
    if (!has_scheme || len == 0 || !is_plain) {
        return error_set(err, "the provider's address is not one that can be used; write it as "
                              "https://host/path or http://localhost:8000/v1");
    }
    if (memchr(host, '@', len)) {
        return error_set(err, "the provider's address has a user name or a key in it; give the "
                              "key in a variable of the environment");
    }
    return true;
}

void url_add_host(struct text *out, const char *url)
{
    const char *host = after_scheme(url);
    text_add_bytes(out, host, host_len(host));
}

bool url_is_local(const char *url)
{
    static const char *const names[] = {"localhost", "[::1]"};
    const char *host = after_scheme(url);
    size_t len = host_len(host);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t name_len = strlen(names[i]);
        if (len >= name_len && strncasecmp(host, names[i], name_len) == 0 &&
            (len == name_len || host[name_len] == ':')) {
            return true;
        }
    }
    size_t digits = strspn(host, "0123456789.");
    return strncmp(host, "127.", 4) == 0 && (digits == len || host[digits] == ':');
}

bool url_is_encrypted(const char *url)
{
    return strncmp(url, "https://", 8) == 0;
}

bool url_has_path(const char *url)
{
    const char *host = after_scheme(url);
    const char *path = host + host_len(host);
    return path[0] == '/' && path[1] != '\0';
}
