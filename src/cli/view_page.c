// SPDX-License-Identifier: Apache-2.0
#include "cli/view_page.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/message.h"
#include "profile/save.h"
#include "serve/browser.h"

#define PAGE_DEFAULT "scalene-profile.html"
#define HOST_MAX     64

bool view_page_write(const struct profile *profile, const struct page_options *options,
                     const char *path, struct error *err)
{
    struct text page = {0};
    char *elsewhere = NULL;
    page_render(profile, options, &page);
    bool is_saved =
        profile_save_text(page.data, page.len, path ? path : PAGE_DEFAULT, &elsewhere, err);
    if (is_saved && elsewhere) {
        message_print("%s", err->text);
    }
    if (is_saved) {
        struct text contents = {0};
        page_contents(profile, options, &contents);
        printf("%s saved to: %s\n", options->mode == PAGE_HOSTED ? "Page" : "Profile",
               elsewhere ? elsewhere
               : path    ? path
                         : PAGE_DEFAULT);
        printf("%s\n", contents.data);
        text_clear(&contents);
    }
    free(elsewhere);
    text_clear(&page);
    return is_saved;
}

// The address under which the user has reached this machine: the third word of SSH_CONNECTION.
static bool is_over_ssh(char host[HOST_MAX])
{
    const char *connection = getenv("SSH_CONNECTION");
    return connection && sscanf(connection, "%*s %*s %63s", host) == 1;
}

static void tell_address(const struct server *server, bool has_browser)
{
    char host[HOST_MAX];
    unsigned port = server_port(server);
    printf("Scalene: the page is at %s (Ctrl-C ends it)\n", server_address(server));
    if (is_over_ssh(host)) {
        printf("  From the machine you sit at: ssh -L %u:localhost:%u %s, then open the address "
               "there.\n",
               port, port, host);
        printf("  Or write it into one file: scalene view --standalone\n");
    } else if (!has_browser) {
        printf("  No browser was found here: open the address in one, or write the page into one "
               "file with scalene view --standalone\n");
    }
    fflush(stdout);
}

bool view_page_serve(const struct profile *profile, const struct server_options *options,
                     bool wants_browser, struct error *err)
{
    struct server *server;
    if (!server_start(&server, profile, options, err)) {
        return false;
    }
    bool has_browser = !wants_browser || browser_open(server_address(server));
    tell_address(server, has_browser);
    server_run(server);
    server_stop(server);
    return true;
}
