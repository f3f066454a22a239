// SPDX-License-Identifier: Apache-2.0
#include "serve/browser.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

static bool is_text_only(const char *name)
{
    static const char *const names[] = {"browsh", "elinks", "links", "lynx", "w3m", "www-browser"};
    const char *slash = strrchr(name, '/');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(slash ? slash + 1 : name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_in_path(const char *name)
{
    if (strchr(name, '/')) {
        return access(name, X_OK) == 0;
    }
    const char *path = getenv("PATH");
    bool is_found = false;
    while (path && *path && !is_found) {
        size_t len = strcspn(path, ":");
        struct text candidate = {0};
        text_add_bytes(&candidate, path, len);
        text_format(&candidate, "/%s", name);
        is_found = access(candidate.data, X_OK) == 0;
        text_clear(&candidate);
        path += len + (path[len] == ':');
    }
    return is_found;
}

// Its output is not ours, and it outlives us.
static bool start(const char *name, const char *address)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    char *const words[] = {(char *)name, (char *)address, NULL};
    pid_t pid;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGCHLD);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
    signal(SIGCHLD, SIG_IGN); // nobody waits for it
    bool is_started = posix_spawnp(&pid, name, &actions, &attributes, words, environ) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return is_started;
}

static bool try(const char *name, const char *address)
{
    return !is_text_only(name) && is_in_path(name) && start(name, address);
}

static bool has_screen(void)
{
    return getenv("DISPLAY") || getenv("WAYLAND_DISPLAY") || getenv("WSL_DISTRO_NAME");
}

// BROWSER is a list of commands; an entry with arguments or %s is left to xdg-open, which reads it.
static bool try_chosen(const char *address)
{
    const char *list = getenv("BROWSER");
    bool is_open = false;
    while (list && *list && !is_open) {
        size_t len = strcspn(list, ":");
        struct text name = {0};
        text_add_bytes(&name, list, len);
        is_open = len > 0 && !strpbrk(name.data, " %") && try(name.data, address);
        text_clear(&name);
        list += len + (list[len] == ':');
    }
    return is_open;
}

bool browser_open(const char *address)
{
    static const char *const known[] = {"xdg-open",         "wslview",       "gio-open",
                                        "firefox",          "google-chrome", "chromium",
                                        "chromium-browser", "x-www-browser"};
    if (try_chosen(address)) {
        return true;
    }
    for (size_t i = 0; has_screen() && i < sizeof known / sizeof *known; i++) {
        if (try(known[i], address)) {
            return true;
        }
    }
    return false;
}
