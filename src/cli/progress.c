// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "collect/glance.h"
#include "launch/path.h"

#define INTERVAL_S    0.5
#define DEFAULT_WIDTH 80

// The title is put on the terminal's own stack and taken back from there.
#define TITLE_SAVE    "\033[22;2t"
#define TITLE_RESTORE "\033[23;2t"
#define TITLE_BEGIN   "\033]2;"
#define TITLE_END     "\033\\"
#define LINE_CLEAR    "\r\033[K"

static void send(const struct progress *progress, const char *bytes)
{
    size_t len = strlen(bytes);
    while (len > 0) {
        ssize_t sent = write(progress->fd, bytes, len);
        if (sent <= 0) {
            return;
        }
        bytes += sent;
        len -= (size_t)sent;
    }
}

static bool has_title(void)
{
    static const char *const without[] = {"", "dumb", "linux", "vt100"};
    const char *terminal = getenv("TERM");
    for (size_t i = 0; terminal && i < sizeof without / sizeof *without; i++) {
        if (strcmp(terminal, without[i]) == 0) {
            return false;
        }
    }
    return terminal != NULL;
}

void progress_open(struct progress *progress, bool is_wanted)
{
    *progress = (struct progress){.fd = -1, .next_s = INTERVAL_S};
    if (!is_wanted) {
        return;
    }
    if (isatty(STDERR_FILENO)) {
        progress->fd = STDERR_FILENO;
        progress->place = has_title() ? PROGRESS_TITLE : PROGRESS_NOWHERE;
    } else if (!isatty(STDOUT_FILENO)) {
        progress->fd = open("/dev/tty", O_WRONLY | O_CLOEXEC | O_NOCTTY);
        progress->place = progress->fd >= 0 ? PROGRESS_LINE : PROGRESS_NOWHERE;
    }
    if (progress->place == PROGRESS_TITLE) {
        send(progress, TITLE_SAVE);
    }
}

// What a terminal would take for an order is not shown: also the control characters beyond ASCII,
// C2 80 to C2 9F.
static void add_printable(struct text *out, const char *words)
{
    for (; *words; words++) {
        unsigned char c = (unsigned char)*words;
        bool is_order = c < ' ' || c == 0x7f || (c == 0xc2 && (unsigned char)words[1] < 0xa0);
        text_add_char(out, is_order ? '?' : *words);
        words += is_order && c == 0xc2 && words[1];
    }
}

static void add_clock(struct text *out, double seconds)
{
    unsigned long whole = (unsigned long)seconds;
    if (whole >= 3600) {
        text_format(out, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
    } else {
        text_format(out, "%lu:%02lu", whole / 60, whole % 60);
    }
}

static void describe(struct text *out, const struct progress *progress, const struct glance *glance,
                     double elapsed_s)
{
    double passed_s = elapsed_s - progress->last_s;
    double used_s = glance->cpu_s - progress->last_cpu_s;
    double cpu_percent = passed_s > 0 && used_s > 0 ? 100 * used_s / passed_s : 0;
    text_add(out, "scalene ");
    add_clock(out, elapsed_s);
    text_format(out, "  CPU %.0f %%  ", cpu_percent);
    if (glance->resident_mb < 1000) {
        text_format(out, "%.0f MB", glance->resident_mb);
    } else {
        text_format(out, "%.1f GB", glance->resident_mb / 1024);
    }
    if (glance->process_count > 1) {
        text_format(out, " in %zu processes", glance->process_count);
    }
    if (glance->file) {
        text_add(out, "  ");
        add_printable(out, path_name(glance->file));
        text_format(out, ":%d %.0f %%", glance->line, 100 * glance->share);
    }
}

static size_t line_width(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : DEFAULT_WIDTH;
}

// In the background the terminal is somebody else's.
static bool is_in_front(const struct progress *progress)
{
    return tcgetpgrp(progress->fd) == getpgrp();
}

void progress_step(struct progress *progress, struct collector *collector, double elapsed_s)
{
    if (progress->place == PROGRESS_NOWHERE || !collector || elapsed_s < progress->next_s ||
        !is_in_front(progress)) {
        return;
    }
    struct glance glance;
    struct text words = {0};
    struct text sequence = {0};
    glance_take(collector, &glance);
    describe(&words, progress, &glance, elapsed_s);
    if (progress->place == PROGRESS_TITLE) {
        text_format(&sequence, TITLE_BEGIN "%s" TITLE_END, words.data);
    } else {
        size_t room = line_width(progress->fd) - 1;
        text_format(&sequence, LINE_CLEAR "%.*s", (int)room, words.data);
    }
    send(progress, sequence.data);
    text_clear(&sequence);
    text_clear(&words);
    progress->last_s = elapsed_s;
    progress->last_cpu_s = glance.cpu_s;
    progress->next_s = elapsed_s + INTERVAL_S;
}

void progress_close(struct progress *progress)
{
    if (progress->place != PROGRESS_NOWHERE && is_in_front(progress)) {
        send(progress, progress->place == PROGRESS_TITLE ? TITLE_RESTORE : LINE_CLEAR);
    }
    if (progress->fd > STDERR_FILENO) {
        close(progress->fd);
    }
    *progress = (struct progress){.fd = -1};
}
