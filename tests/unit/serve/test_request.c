// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "serve/request.h"
#include "unit.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

static const struct request_guard guard = {.token = TOKEN, .file_count = 12};

static struct request_answer ask(const char *path)
{
    return request_route(
        &guard, &(struct request){.method = "GET", .path = path, .host = "localhost:11235"});
}

static unsigned status_of(struct request request)
{
    request.method = request.method ? request.method : "GET";
    request.path = request.path ? request.path : "/" TOKEN "/";
    return request_route(&guard, &request).status;
}

static void each_address_has_its_answer(void **state)
{
    (void)state;
    assert_int_equal(ask("/" TOKEN "/").route, REQUEST_PAGE);
    assert_int_equal(ask("/" TOKEN "/page.js").route, REQUEST_SCRIPT);
    assert_int_equal(ask("/" TOKEN "/page.css").route, REQUEST_STYLE);
    assert_int_equal(ask("/" TOKEN "/form.json").route, REQUEST_FORM);
    assert_int_equal(ask("/" TOKEN "/alive").route, REQUEST_ALIVE);
    assert_int_equal(ask("/" TOKEN "/source/11").route, REQUEST_SOURCE);
    assert_int_equal(ask("/" TOKEN "/source/11").file, 11);
}

static void only_files_of_the_profile_are_there(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "source/12",   "source/-1",         "source/",        "source/1x",
        "source/ 1",   "source/0000000001", "source/../form", "../etc/passwd",
        "/etc/passwd", "source/1/",         "page.js/",       "PAGE.JS",
        "%2e%2e/",     "index.html",        "source",         "source/99999999999999999999"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char path[128] = "/" TOKEN "/";
        strcat(path, paths[i]);
        assert_int_equal(ask(path).status, 404);
        assert_int_equal(ask(path).route, REQUEST_REFUSED);
    }
}

static void without_the_token_there_is_nothing(void **state)
{
    (void)state;
    assert_int_equal(ask("").status, 403);
    assert_int_equal(ask("/").status, 403);
    assert_int_equal(ask("/page.js").status, 403);
    assert_int_equal(ask("/" TOKEN).status, 403);
    assert_int_equal(ask("/" TOKEN "x").status, 403);
    assert_int_equal(ask("/0123456789abcdef0123456789abcdee/").status, 403);
    assert_int_equal(ask("/0123456789ABCDEF0123456789abcdef/").status, 403);
    assert_int_equal(ask("//" TOKEN "/").status, 403);
}

static void only_loopback_names_are_answered(void **state)
{
    (void)state;
    static const char *const good[] = {"localhost:11235", "127.0.0.1:11235", "[::1]:11235",
                                       "localhost:9000", "localhost"};
    static const char *const bad[] = {"evil.example:11235", "localhost.evil.example",
                                      "127.0.0.1.nip.io",   "localhost:",
                                      "localhost:x",        "localhost:123456",
                                      "127.0.0.2:11235",    "",
                                      "LOCALHOST@evil",     "[::1]evil",
                                      "localhost:80@evil"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(status_of((struct request){.host = good[i]}), 200);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(status_of((struct request){.host = bad[i]}), 403);
    }
    assert_int_equal(status_of((struct request){.host = NULL}), 403);
}

static void pages_of_other_sites_are_refused(void **state)
{
    (void)state;
    const char *host = "localhost:11235";
    assert_int_equal(status_of((struct request){.host = host, .origin = "http://localhost:11235"}),
                     200);
    assert_int_equal(status_of((struct request){.host = host, .origin = "http://localhost:9"}),
                     403);
    assert_int_equal(status_of((struct request){.host = host, .origin = "https://localhost:11235"}),
                     403);
    assert_int_equal(status_of((struct request){.host = host, .origin = "http://evil.example"}),
                     403);
    assert_int_equal(status_of((struct request){.host = host, .origin = "null"}), 403);
    assert_int_equal(status_of((struct request){.host = host, .fetch_site = "same-origin"}), 200);
    assert_int_equal(status_of((struct request){.host = host, .fetch_site = "none"}), 200);
    assert_int_equal(status_of((struct request){.host = host, .fetch_site = "cross-site"}), 403);
    assert_int_equal(status_of((struct request){.host = host, .fetch_site = "same-site"}), 403);
}

static void a_link_of_another_site_opens_the_page_alone(void **state)
{
    (void)state;
    struct request link = {.host = "localhost:11235",
                           .fetch_site = "cross-site",
                           .fetch_mode = "navigate",
                           .fetch_dest = "document"};
    assert_int_equal(status_of(link), 200);
    link.path = "/" TOKEN "/form.json";
    assert_int_equal(status_of(link), 403);
    link.path = "/" TOKEN "/alive";
    assert_int_equal(status_of(link), 403);
    link.path = "/0123456789abcdef0123456789abcdee/";
    assert_int_equal(status_of(link), 403);
    link.path = NULL;
    link.method = "HEAD";
    assert_int_equal(status_of(link), 403);
    link.method = NULL;
    link.fetch_dest = "iframe";
    assert_int_equal(status_of(link), 403);
    link.fetch_dest = "document";
    link.fetch_mode = "cors";
    assert_int_equal(status_of(link), 403);
    link.fetch_mode = "navigate";
    link.origin = "http://evil.example";
    assert_int_equal(status_of(link), 403);
}

static void a_request_names_one_host(void **state)
{
    (void)state;
    const char *host = "localhost:11235";
    assert_int_equal(status_of((struct request){.host = host, .host_count = 1}), 200);
    assert_int_equal(status_of((struct request){.host = host, .host_count = 2}), 400);
}

static void nothing_can_be_changed(void **state)
{
    (void)state;
    static const char *const methods[] = {"PUT",     "PATCH", "DELETE", "OPTIONS",
                                          "CONNECT", "get",   ""};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        assert_int_equal(
            status_of((struct request){.method = methods[i], .host = "localhost:11235"}), 405);
    }
    assert_int_equal(status_of((struct request){.method = "HEAD", .host = "localhost:1"}), 200);
}

static void questions_come_from_the_page_alone(void **state)
{
    (void)state;
    static const char *const places[] = {"/" TOKEN "/prompt", "/" TOKEN "/models",
                                         "/" TOKEN "/proposal"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct request request = {.method = "POST",
                                  .path = places[i],
                                  .host = "localhost:11235",
                                  .origin = "http://localhost:11235",
                                  .content_type = "application/json"};
        assert_int_equal(status_of(request), 200);
        request.content_type = "text/plain";
        assert_int_equal(status_of(request), 415);
        request.content_type = NULL;
        assert_int_equal(status_of(request), 415);
        request.content_type = "application/json; charset=utf-8";
        request.origin = NULL;
        assert_int_equal(status_of(request), 403);
        request.origin = "http://evil.example";
        assert_int_equal(status_of(request), 403);
        request.origin = "http://localhost:11235";
        request.method = "GET";
        assert_int_equal(status_of(request), 405);
    }
    assert_int_equal(status_of((struct request){.method = "POST",
                                                .host = "localhost:11235",
                                                .origin = "http://localhost:11235"}),
                     405);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_address_has_its_answer),
        cmocka_unit_test(only_files_of_the_profile_are_there),
        cmocka_unit_test(without_the_token_there_is_nothing),
        cmocka_unit_test(only_loopback_names_are_answered),
        cmocka_unit_test(pages_of_other_sites_are_refused),
        cmocka_unit_test(a_link_of_another_site_opens_the_page_alone),
        cmocka_unit_test(a_request_names_one_host),
        cmocka_unit_test(nothing_can_be_changed),
        cmocka_unit_test(questions_come_from_the_page_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
