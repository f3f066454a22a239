// SPDX-License-Identifier: Apache-2.0
// The command line's first word: a subcommand, or a question about them.

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/message.h"
#include "cli/nearest.h"
#include "cli/screen.h"

static const struct command commands[] = {
    {"run", "profile a Python program", cmd_run},
    {"view", "show a profile", cmd_view},
};

#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static void print_help(FILE *stream)
{
    struct screen screen = screen_of(stream);
    struct help_style style = {.has_color = screen.has_color, .width = screen.width};
    struct text out = {0};
    help_add_usage(&out, &style, "scalene COMMAND [options] ...");
    text_add(&out, "\nA profiler for Python: where the time goes, line by line.\n");
    help_add_heading(&out, &style, "commands:");
    help_add_commands(&out, &style, commands, COMMAND_COUNT);
    help_add_heading(&out, &style, "options:");
    text_add(&out, "  -h, --help            show this help and exit\n"
                   "  --version             show the version and exit\n");
    help_add_heading(&out, &style, "examples:");
    text_add(&out, "  scalene run prog.py            profile prog.py\n"
                   "  scalene run --cpu-only -m mod  profile a module's CPU time\n"
                   "  scalene view --cli             show the profile in the terminal\n"
                   "  scalene run --help             options of run\n");
    fputs(out.data, stream);
    text_clear(&out);
}

static bool is_help(const char *word)
{
    return strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0;
}

static bool looks_like_program(const char *word)
{
    size_t len = strlen(word);
    return strcmp(word, "-m") == 0 || (len > 3 && strcmp(word + len - 3, ".py") == 0);
}

static const char *suggest(const char *word)
{
    const char *meant = NULL;
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (nearest_improves(word, commands[i].name, &best)) {
            meant = commands[i].name;
        }
    }
    return meant;
}

// Older versions had no subcommands: who calls us that way is told how it is called now.
static int refuse(int count, char **words)
{
    bool is_old_call = false;
    for (int i = 0; i < count; i++) {
        is_old_call |= looks_like_program(words[i]);
    }
    if (!is_old_call) {
        const char *meant = suggest(words[0]);
        message_print("'%s' is not a valid command; %s%s%ssee scalene --help", words[0],
                      meant ? "did you mean scalene " : "", meant ? meant : "",
                      meant ? "? Else " : "");
        return COMMAND_MISUSED;
    }
    message_print("'%s' is not a valid command.", words[0]);
    fputs("Did you mean: scalene run", stderr);
    for (int i = 0; i < count; i++) {
        fprintf(stderr, " %s", words[i]);
    }
    fputs("\n\n", stderr);
    print_help(stderr);
    return COMMAND_FAILED;
}

// A descriptor 0, 1 or 2 that is closed stays closed for the program, but must not become one of
// our own files meanwhile.
static void hold_closed_descriptors(void)
{
    int fd;
    do {
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0) {
        close(fd);
    }
}

int main(int argc, char **argv)
{
    hold_closed_descriptors();
    if (argc < 2) {
        print_help(stderr);
        return COMMAND_FAILED;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].run(argc - 2, argv + 2);
        }
    }
    if (is_help(argv[1])) {
        print_help(stdout);
        return COMMAND_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("Scalene version " SCALENE_VERSION " (" SCALENE_RELEASE_DATE ")");
        return COMMAND_OK;
    }
    return refuse(argc - 1, argv + 1);
}
