// SPDX-License-Identifier: Apache-2.0
#include "suggest/access.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/mem.h"
#include "suggest/provider.h"
#include "suggest/url.h"

#define KEY_MAX   4096
#define MODEL_MAX 256
#define KEY_LEAST 8 // shorter ones are no secret, and would be found everywhere

const char *access_variable(const char *const *names)
{
    for (; names && *names; names++) {
        const char *value = getenv(*names);
        if (value && value[0]) {
            return value;
        }
    }
    return NULL;
}

void access_guard(void)
{
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static bool is_printable(const char *text, size_t max)
{
    for (const char *at = text; *at; at++) {
        if (*at <= 0x20 || *at >= 0x7f) {
            return false;
        }
    }
    return strlen(text) <= max;
}

static char *copy_or_null(const char *text)
{
    return text && text[0] ? mem_copy_text(text) : NULL;
}

static char *copy_address(const char *text)
{
    char *address = mem_copy_text(text);
    size_t len = strlen(address);
    while (len > 0 && address[len - 1] == '/') {
        address[--len] = '\0';
    }
    return address;
}

static void list_variables(struct text *out, const char *const *names)
{
    for (size_t i = 0; names[i]; i++) {
        text_format(out, "%s%s", i > 0 ? " or " : "", names[i]);
    }
}

static bool check_key(const struct access *access, const struct provider *provider,
                      struct error *err)
{
    bool is_own = provider->address && strcmp(access->address, provider->address) == 0 &&
                  !url_is_local(access->address);
    if (!access->key && (provider->needs_key || is_own)) {
        struct text names = {0};
        list_variables(&names, provider->key_variables);
        error_set(err, "%s needs a key: set %s", provider->title, names.data);
        text_clear(&names);
        return false;
    }
    if (access->key && !is_printable(access->key, KEY_MAX)) {
        return error_set(err, "the key for %s has blanks or odd characters in it, so it is none",
                         provider->title);
    }
    if (access->key && !url_is_encrypted(access->address) && !url_is_local(access->address)) {
        return error_set(err, "the key would be sent to another computer without encryption; use "
                              "an address that begins with https://, or unset the key");
    }
    return true;
}

static bool check(const struct access *access, const struct provider *provider, struct error *err)
{
    if (!access->address) {
        struct text names = {0};
        list_variables(&names, provider->address_variables);
        error_set(err, "%s has no address yet: set %s, or give it with --address", provider->title,
                  names.data);
        text_clear(&names);
        return false;
    }
    if (!url_check(access->address, err)) {
        return false;
    }
    if (!access->model) {
        return error_set(err, "%s has no default model: name one with --model", provider->title);
    }
    if (!is_printable(access->model, MODEL_MAX)) {
        return error_set(err, "the model's name has blanks or odd characters in it");
    }
    return check_key(access, provider, err);
}

// "localhost:11434", as Ollama's variable has it.
static char *with_scheme(char *address)
{
    if (address && !strstr(address, "://")) {
        struct text whole = {0};
        text_format(&whole, "http://%s", address);
        free(address);
        return whole.data;
    }
    return address;
}

static bool is_given(const char *text)
{
    return text && text[0];
}

static const char *choose_key(const struct provider *provider, const struct access_wish *wish)
{
    if (is_given(wish->key)) {
        return wish->key;
    }
    bool is_foreign = wish->is_from_page && is_given(wish->address);
    return is_foreign ? NULL : access_variable(provider->key_variables);
}

bool access_open(struct access *access, const struct provider *provider,
                 const struct access_wish *wish, struct error *err)
{
    const char *address =
        is_given(wish->address) ? wish->address : access_variable(provider->address_variables);
    *access = (struct access){0};
    access->key = copy_or_null(choose_key(provider, wish));
    access->model = copy_or_null(is_given(wish->model) ? wish->model : provider->model);
    access->address = address             ? with_scheme(copy_address(address))
                      : provider->address ? mem_copy_text(provider->address)
                                          : NULL;
    bool is_complete = !provider->complete || provider->complete(access, wish, err);
    if (!is_complete || !check(access, provider, err)) {
        access_clear(access);
        return false;
    }
    return true;
}

static void wipe(char **text)
{
    if (*text) {
        explicit_bzero(*text, strlen(*text));
    }
    free(*text);
    *text = NULL;
}

void access_clear(struct access *access)
{
    free(access->address);
    free(access->model);
    free(access->region);
    wipe(&access->key);
    wipe(&access->key_id);
    wipe(&access->session_token);
    *access = (struct access){0};
}

static void hide(struct text *text, const char *key)
{
    size_t len = key ? strlen(key) : 0;
    char *at = text->data;
    while (len >= KEY_LEAST && at && (at = strstr(at, key)) != NULL) {
        memset(at, '*', len);
        at += len;
    }
}

void access_hide_keys(const struct access *access, struct text *text)
{
    hide(text, access->key);
    hide(text, access->key_id);
    hide(text, access->session_token);
}
