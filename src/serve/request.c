// SPDX-License-Identifier: Apache-2.0
#include "serve/request.h"

#include <stdbool.h>
#include <string.h>

static struct request_answer refuse(unsigned status, const char *text)
{
    return (struct request_answer){.route = REQUEST_REFUSED, .status = status, .text = text};
}

// A loopback name with any port: whoever forwards the page's port may choose another one.
static bool is_loopback(const char *authority)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t len = strlen(names[i]);
        if (strncmp(authority, names[i], len) == 0) {
            const char *rest = authority + len;
            size_t digits = rest[0] == ':' ? strspn(rest + 1, "0123456789") : 0;
            return rest[0] == '\0' || (digits > 0 && digits <= 5 && rest[1 + digits] == '\0');
        }
    }
    return false;
}

// The page that asks is one of ours.
static bool is_own_origin(const char *origin, const char *host)
{
    static const char scheme[] = "http://";
    return strncmp(origin, scheme, sizeof scheme - 1) == 0 &&
           strcmp(origin + sizeof scheme - 1, host) == 0;
}

// Looks at every byte, whatever the first ones are: the time it takes tells nothing.
static bool has_token(const struct request_guard *guard, const char *path)
{
    unsigned char difference = 0;
    if (path[0] != '/' || strlen(path) < REQUEST_TOKEN_LEN + 2) {
        return false;
    }
    for (size_t i = 0; i < REQUEST_TOKEN_LEN; i++) {
        difference |= (unsigned char)(path[1 + i] ^ guard->token[i]);
    }
    return difference == 0 && path[1 + REQUEST_TOKEN_LEN] == '/';
}

// Digits alone, and few: 0 to file_count - 1.
static bool read_index(const char *text, size_t count, size_t *index)
{
    size_t len = strlen(text);
    if (len == 0 || len > 9 || strspn(text, "0123456789") != len) {
        return false;
    }
    size_t number = 0;
    for (; *text; text++) {
        number = number * 10 + (size_t)(*text - '0');
    }
    *index = number;
    return number < count;
}

static struct request_answer find(const struct request_guard *guard, const char *name)
{
    static const struct {
        const char *name;
        enum request_route route;
    } names[] = {
        {"", REQUEST_PAGE},
        {"page.js", REQUEST_SCRIPT},
        {"page.css", REQUEST_STYLE},
        {"form.json", REQUEST_FORM},
        {"alive", REQUEST_ALIVE},
        {"providers.json", REQUEST_PROVIDERS},
        {"prompt", REQUEST_PROMPT},
        {"models", REQUEST_MODELS},
        {"proposal", REQUEST_PROPOSAL},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i].name) == 0) {
            return (struct request_answer){.route = names[i].route, .status = 200};
        }
    }
    static const char folder[] = "source/";
    struct request_answer answer = {.route = REQUEST_SOURCE, .status = 200};
    if (strncmp(name, folder, sizeof folder - 1) == 0 &&
        read_index(name + sizeof folder - 1, guard->file_count, &answer.file)) {
        return answer;
    }
    return refuse(404, "There is nothing at this address.\n");
}

// What makes us act is only taken from the page itself: a browser names the origin of every POST,
// and lets no other site send JSON without asking.
static struct request_answer check_method(const struct request *request,
                                          struct request_answer answer, bool is_post)
{
    static const char json[] = "application/json";
    if (is_post != (answer.route >= REQUEST_PROMPT)) {
        return refuse(405, "This address takes another method.\n");
    }
    if (is_post && !request->origin) {
        return refuse(403, "This server only takes questions from its own page.\n");
    }
    if (is_post &&
        (!request->content_type || strncmp(request->content_type, json, sizeof json - 1) != 0)) {
        return refuse(415, "This address takes JSON.\n");
    }
    return answer;
}

static bool is_same(const char *header, const char *expected)
{
    return header && strcmp(header, expected) == 0;
}

// A browser says so of whoever follows a link to the page, and of nothing that a script does.
static bool is_link_to_page(const struct request *request, struct request_answer answer)
{
    return answer.route == REQUEST_PAGE && strcmp(request->method, "GET") == 0 &&
           is_same(request->fetch_mode, "navigate") && is_same(request->fetch_dest, "document");
}

static bool is_from_other_site(const struct request *request)
{
    return request->fetch_site && !is_same(request->fetch_site, "same-origin") &&
           !is_same(request->fetch_site, "none");
}

struct request_answer request_route(const struct request_guard *guard,
                                    const struct request *request)
{
    bool is_post = strcmp(request->method, "POST") == 0;
    if (!is_post && strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0) {
        return refuse(405, "This server only answers GET, HEAD and POST.\n");
    }
    if (request->host_count > 1) {
        return refuse(400, "This request names more than one host.\n");
    }
    if (!request->host || !is_loopback(request->host)) {
        return refuse(403, "This server only answers to localhost.\n");
    }
    if (request->origin && !is_own_origin(request->origin, request->host)) {
        return refuse(403, "This server does not answer pages of other sites.\n");
    }
    if (!has_token(guard, request->path)) {
        return refuse(403,
                      "This address lacks the token: open the one that scalene view printed.\n");
    }
    struct request_answer answer = find(guard, request->path + REQUEST_TOKEN_LEN + 2);
    if (is_from_other_site(request) && !is_link_to_page(request, answer)) {
        return refuse(403, "This server does not answer pages of other sites.\n");
    }
    return answer.route == REQUEST_REFUSED ? answer : check_method(request, answer, is_post);
}
