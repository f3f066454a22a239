// SPDX-License-Identifier: Apache-2.0
// `scalene view`: shows a saved profile in the terminal.

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/message.h"
#include "cli/option.h"
#include "cli/outfile.h"
#include "cli/screen.h"
#include "profile/load.h"
#include "render/terminal.h"

struct view_settings {
    bool wants_help;
    bool is_in_terminal;
    bool is_reduced;
    bool is_html;
    const char *file; // NULL: the default
};

#define TARGET(field) offsetof(struct view_settings, field)

// clang-format off
static const struct option options[] = {
    {.name = "help", .letter = 'h', .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(wants_help), .help = "show this help and exit"},
    {.name = "cli", .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(is_in_terminal), .help = "show the profile in the terminal"},
    {.name = "reduced", .letter = 'r', .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(is_reduced), .help = "only lines that took time"},
    {.name = "html", .kind = OPTION_TRUE, .group = OPTION_HIDDEN, .target = TARGET(is_html)},
    {.name = "standalone", .kind = OPTION_TRUE, .group = OPTION_HIDDEN, .target = TARGET(is_html)},
};
// clang-format on

static const struct option_table table = {
    .options = options,
    .count = sizeof options / sizeof *options,
};

static int print_help(void)
{
    struct screen screen = screen_of(stdout);
    struct help_style style = {.has_color = screen.has_color, .width = screen.width};
    struct text out = {0};
    help_add_usage(&out, &style, "scalene view [options] [profile_file]");
    text_add(&out, "\nShows a profile that `scalene run` saved (default: " OUTFILE_DEFAULT ").\n");
    help_add_heading(&out, &style, "options:");
    help_add_options(&out, &style, &table, OPTION_BASIC);
    fputs(out.data, stdout);
    text_clear(&out);
    return COMMAND_OK;
}

static bool read_words(struct view_settings *settings, int count, char **words, struct error *err)
{
    int i = 0;
    while (i < count) {
        int used;
        if (!option_parse(&table, count - i, words + i, settings, &used, err)) {
            return false;
        }
        i += used;
        if (i < count && settings->file) {
            return error_set(err, "view shows one profile; '%s' is one too many", words[i]);
        }
        if (i < count) {
            settings->file = words[i++];
        }
    }
    return true;
}

static bool check_file(const char *file, struct error *err)
{
    if (access(file, F_OK) != 0 && errno == ENOENT) {
        return error_set(err,
                         "profile file '%s' not found; make one with scalene run prog.py, or give "
                         "its name",
                         file);
    }
    return true;
}

// Whoever reads our output may stop reading: that ends us, quietly.
static bool write_out(const struct text *out, struct error *err)
{
    signal(SIGPIPE, SIG_DFL);
    if (out->len > 0 && fwrite(out->data, 1, out->len, stdout) != out->len) {
        return error_set(err, "cannot write the view: %s", strerror(errno));
    }
    return fflush(stdout) == 0 ? true
                               : error_set(err, "cannot write the view: %s", strerror(errno));
}

static bool show(const struct view_settings *settings, struct error *err)
{
    const char *file = settings->file ? settings->file : OUTFILE_DEFAULT;
    struct profile *profile = NULL;
    if (!check_file(file, err) || !profile_load(&profile, file, err)) {
        return false;
    }
    struct screen screen = screen_of(stdout);
    struct terminal_options how = {
        .width = screen.width,
        .has_color = screen.has_color,
        .is_utf8 = screen.is_utf8,
        .is_reduced = settings->is_reduced,
    };
    struct text out = {0};
    terminal_render(profile, &how, &out);
    bool is_written = write_out(&out, err);
    text_clear(&out);
    profile_free(profile);
    return is_written;
}

int cmd_view(int count, char **words)
{
    struct view_settings settings = {0};
    struct error err;
    if (!read_words(&settings, count, words, &err)) {
        message_print("%s", err.text);
        return COMMAND_MISUSED;
    }
    if (settings.wants_help) {
        return print_help();
    }
    if (settings.is_html) {
        message_print("this version writes no HTML; see the profile with scalene view --cli");
        return COMMAND_FAILED;
    }
    if (!settings.is_in_terminal) {
        message_print("this version has no view in the browser; here is the one of --cli");
    }
    if (!show(&settings, &err)) {
        message_print("%s", err.text);
        return COMMAND_FAILED;
    }
    return COMMAND_OK;
}
