// SPDX-License-Identifier: Apache-2.0
// The command line's first word: a subcommand, or a question about them.

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/message.h"

static bool is_help(const char *word)
{
    return strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0;
}

static bool looks_like_program(const char *word)
{
    size_t len = strlen(word);
    return strcmp(word, "-m") == 0 || (len > 3 && strcmp(word + len - 3, ".py") == 0);
}

// Older versions had no subcommands: who calls us that way is told how it is called now.
static int refuse(int count, char **words)
{
    bool is_old_call = false;
    for (int i = 0; i < count; i++) {
        is_old_call |= looks_like_program(words[i]);
    }
    if (!is_old_call) {
        const char *meant = command_nearest(words[0]);
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
    help_print(stderr, NULL, OPTION_BASIC);
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
        help_print(stderr, NULL, OPTION_BASIC);
        return COMMAND_FAILED;
    }
    const struct command *command = command_find(argv[1]);
    if (command) {
        return command->run(argc - 2, argv + 2);
    }
    if (is_help(argv[1])) {
        help_print(stdout, NULL, OPTION_BASIC);
        return COMMAND_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("Scalene version " SCALENE_VERSION " (" SCALENE_RELEASE_DATE ")");
        return COMMAND_OK;
    }
    return refuse(argc - 1, argv + 1);
}
