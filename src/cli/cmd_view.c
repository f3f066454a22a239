// SPDX-License-Identifier: Apache-2.0
// `scalene view`: shows a saved profile in the browser, in the terminal, or as a file.

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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
#include "cli/view_page.h"
#include "profile/load.h"
#include "render/digest.h"
#include "render/listing.h"
#include "render/order.h"
#include "render/terminal.h"

#define LINGER_S 60 // a page that is loaded again is away for a moment

struct view_settings {
    bool wants_help;
    bool is_in_terminal;
    bool is_reduced;
    bool has_seconds;
    bool has_errors;
    bool is_html;
    bool is_standalone;
    bool is_hosted;
    bool has_no_source;
    bool has_no_browser;
    bool is_kept;
    bool wants_keys;
    uint64_t row_max; // 0: all
    uint64_t port;    // 0: any
    double linger_s;
    char *sort;
    char *format;
    char *color;
    char *outfile;
    const char *file; // NULL: the default
};

#define TARGET(field) offsetof(struct view_settings, field)

// clang-format off
static const struct option options[] = {
    {.name = "help", .letter = 'h', .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(wants_help), .help = "show this help and exit"},
    {.name = "cli", .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(is_in_terminal), .help = "show the profile in the terminal"},
    {.name = "html", .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(is_html), .help = "write a page into a file, open no browser"},
    {.name = "standalone", .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(is_standalone),
     .help = "write a page with everything inside, packed: one file to hand on"},
    {.name = "hosted", .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(is_hosted),
     .help = "write a page without a profile, for a web server: it shows the profile.json beside it"},
    {.name = "outfile", .letter = 'o', .kind = OPTION_TEXT, .group = OPTION_BASIC,
     .target = TARGET(outfile), .argument = "FILE", .content = OPTION_FILE,
     .help = "where the page goes (default: scalene-profile.html)"},
    {.name = "reduced", .letter = 'r', .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(is_reduced), .help = "only lines that took time"},
    {.name = "rows", .letter = 'n', .kind = OPTION_COUNT, .group = OPTION_BASIC,
     .target = TARGET(row_max), .argument = "N", .least = 1, .most = 1000000,
     .help = "at most so many lines of each file, the heaviest"},
    {.name = "sort", .kind = OPTION_TEXT, .group = OPTION_BASIC,
     .target = TARGET(sort), .argument = "KEY",
     .help = "the heaviest lines first, by time, python, native, system, idle, wait, await, memory, "
             "allocated or copy (default: line, as in the file)"},
    {.name = "seconds", .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(has_seconds), .help = "seconds instead of percentages"},
    {.name = "errors", .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(has_errors), .help = "a column with the error of each share"},
    {.name = "format", .kind = OPTION_TEXT, .group = OPTION_BASIC,
     .target = TARGET(format), .argument = "FORMAT",
     .help = "of --cli: table, tsv (all lines), md or json (a digest of at most 4,000 tokens, for "
             "AI agents); default: table"},
    {.name = "color", .kind = OPTION_TEXT, .group = OPTION_BASIC,
     .target = TARGET(color), .argument = "WHEN",
     .help = "auto, always or never (default: auto)"},
    {.name = "no-browser", .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(has_no_browser), .help = "serve the page, but open no browser"},
    {.name = "port", .kind = OPTION_COUNT, .group = OPTION_BASIC,
     .target = TARGET(port), .argument = "PORT", .least = 1, .most = 65535,
     .help = "serve the page there (default: 11235 or the next one that is free)"},
    {.name = "keep", .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(is_kept), .help = "go on serving when no page is open any more"},
    {.name = "no-source", .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(has_no_source), .help = "leave source text out of a written page"},
    {.name = "linger", .kind = OPTION_NUMBER, .group = OPTION_HIDDEN,
     .target = TARGET(linger_s), .argument = "SECONDS", .least = 0, .most = 86400},
    {.name = "api-keys-from-env", .kind = OPTION_TRUE, .group = OPTION_HIDDEN,
     .target = TARGET(wants_keys)},
};
// clang-format on

static const struct option_table table = {
    .options = options,
    .count = sizeof options / sizeof *options,
};

enum view_format { FORMAT_TABLE, FORMAT_TSV, FORMAT_JSON, FORMAT_MARKDOWN, FORMAT_COUNT };

static const char *const format_names[FORMAT_COUNT] = {"table", "tsv", "json", "md"};

static bool read_words(struct view_settings *settings, int count, char **words, struct error *err)
{
    struct option_operand operand = {&settings->file, "view shows one profile"};
    return option_parse_around(&table, count, words, settings, &operand, err);
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

// The place of a word in a list; -1 if it is not there.
static int place_of(const char *word, const char *const *words, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(word, words[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static bool read_words_of_options(const struct view_settings *settings, enum view_format *format,
                                  struct terminal_options *how, struct error *err)
{
    static const char *const colors[] = {"auto", "always", "never"};
    int known = settings->format ? place_of(settings->format, format_names, FORMAT_COUNT) : 0;
    if (known < 0) {
        return error_set(err, "--format: '%s' is none; it can be table, tsv, json or md",
                         settings->format);
    }
    *format = (enum view_format)known;
    if (settings->sort && !order_key_of(settings->sort, &how->key)) {
        return error_set(err,
                         "--sort: '%s' is no key; it can be line, time, python, native, system, "
                         "idle, wait, await, memory, allocated or copy",
                         settings->sort);
    }
    int color = settings->color ? place_of(settings->color, colors, 3) : 0;
    if (color < 0) {
        return error_set(err, "--color: '%s' is neither auto, always nor never", settings->color);
    }
    how->has_color = color == 1 || (color == 0 && how->has_color);
    return true;
}

static void render(const struct profile *profile, enum view_format format,
                   const struct terminal_options *how, struct text *out)
{
    const struct listing_options rows = {.key = how->key, .max = how->row_max};
    const struct digest_options digest = {.key = how->key, .max = how->row_max};
    switch (format) {
    case FORMAT_TSV:
        listing_tsv(profile, &rows, out);
        break;
    case FORMAT_JSON:
        digest_json(profile, &digest, out);
        break;
    case FORMAT_MARKDOWN:
        digest_markdown(profile, &digest, out);
        break;
    default:
        terminal_render(profile, how, out);
    }
}

static bool show_in_terminal(const struct view_settings *settings, const char *file,
                             struct error *err)
{
    struct screen screen = screen_of(stdout);
    struct terminal_options how = {
        .width = screen.width,
        .has_color = screen.has_color,
        .is_utf8 = screen.is_utf8,
        .is_reduced = settings->is_reduced,
        .has_seconds = settings->has_seconds,
        .has_errors = settings->has_errors,
        .row_max = settings->row_max,
        .key = settings->row_max > 0 ? ORDER_time : ORDER_line,
    };
    enum view_format format = FORMAT_TABLE;
    struct profile *profile = NULL;
    if (!read_words_of_options(settings, &format, &how, err) ||
        !profile_load_lines(&profile, file, err)) {
        return false;
    }
    struct text out = {0};
    render(profile, format, &how, &out);
    bool is_written = write_out(&out, err);
    text_clear(&out);
    profile_free(profile);
    return is_written;
}

static bool show_in_browser(const struct view_settings *settings, const char *file,
                            struct error *err)
{
    struct profile *profile = NULL;
    if (!profile_load(&profile, file, err)) {
        return false;
    }
    bool is_shown;
    if (settings->is_html || settings->is_standalone) {
        const struct page_options page = {
            .mode = settings->is_standalone ? PAGE_STANDALONE : PAGE_WHOLE,
            .has_source = !settings->has_no_source,
        };
        is_shown = view_page_write(profile, &page, settings->outfile, err);
    } else {
        const struct server_options server = {.port = (unsigned)settings->port,
                                              .is_kept = settings->is_kept,
                                              .linger_s = settings->linger_s};
        is_shown = view_page_serve(profile, &server, !settings->has_no_browser, err);
    }
    profile_free(profile);
    return is_shown;
}

static bool write_hosted(const struct view_settings *settings, struct error *err)
{
    if (settings->file || settings->is_html || settings->is_standalone) {
        return error_set(err, "--hosted writes a page without a profile; leave %s out",
                         settings->file            ? "the file"
                         : settings->is_standalone ? "--standalone"
                                                   : "--html");
    }
    const struct page_options page = {.mode = PAGE_HOSTED};
    struct profile *none = profile_new();
    bool is_written = view_page_write(none, &page, settings->outfile, err);
    profile_free(none);
    return is_written;
}

// What only the table knows asks for it.
static bool is_for_terminal(const struct view_settings *settings)
{
    return settings->is_in_terminal || settings->format || settings->sort || settings->row_max ||
           settings->is_reduced || settings->has_seconds || settings->has_errors;
}

static bool show(const struct view_settings *settings, struct error *err)
{
    const char *file = settings->file ? settings->file : OUTFILE_DEFAULT;
    bool is_page = settings->is_html || settings->is_standalone;
    if (settings->is_hosted) {
        return write_hosted(settings, err);
    }
    if (!check_file(file, err)) {
        return false;
    }
    if (settings->wants_keys && (is_page || is_for_terminal(settings))) {
        return error_set(err, "--api-keys-from-env only works in the browser; leave it out");
    }
    return is_for_terminal(settings) && !is_page ? show_in_terminal(settings, file, err)
                                                 : show_in_browser(settings, file, err);
}

static int run(int count, char **words)
{
    struct view_settings settings = {.linger_s = LINGER_S};
    struct error err;
    int status = COMMAND_OK;
    if (!read_words(&settings, count, words, &err)) {
        message_print("%s", err.text);
        status = COMMAND_MISUSED;
    } else if (settings.wants_help) {
        help_print(stdout, &view_command, OPTION_BASIC);
    } else if (!show(&settings, &err)) {
        message_print("%s", err.text);
        status = COMMAND_FAILED;
    }
    option_clear(&table, &settings);
    return status;
}

const struct command view_command = {
    .name = "view",
    .summary = "show a profile",
    .usage = "[options] [profile_file]",
    .about = "Shows a profile that `scalene run` saved (default: " OUTFILE_DEFAULT
             ") in the browser, or with --cli in the terminal.",
    .options = &table,
    .operand = OPERAND_PROFILE,
    .run = run,
};
