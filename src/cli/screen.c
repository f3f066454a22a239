// SPDX-License-Identifier: Apache-2.0
#include "cli/screen.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MAX_WIDTH 10000

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && value[0];
}

static unsigned find_width(int fd)
{
    const char *columns = getenv("COLUMNS");
    char *end = NULL;
    long asked = columns ? strtol(columns, &end, 10) : 0;
    if (asked > 0 && asked <= MAX_WIDTH && *end == '\0') {
        return (unsigned)asked;
    }
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static bool wants_color(int fd)
{
    if (is_set("NO_COLOR")) {
        return false;
    }
    const char *forced = getenv("CLICOLOR_FORCE");
    if (is_set("FORCE_COLOR") || (forced && forced[0] && strcmp(forced, "0") != 0)) {
        return true;
    }
    const char *terminal = getenv("TERM");
    return isatty(fd) && terminal && terminal[0] && strcmp(terminal, "dumb") != 0;
}

struct screen screen_of(FILE *stream)
{
    setlocale(LC_CTYPE, "");
    return (struct screen){
        .width = find_width(fileno(stream)),
        .has_color = wants_color(fileno(stream)),
        .is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
    };
}
