// SPDX-License-Identifier: Apache-2.0
// `scalene recover`: writes out the profile of a run whose scalene was killed.

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/closing.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/message.h"
#include "cli/option.h"
#include "cli/outfile.h"
#include "launch/leftover.h"
#include "launch/run_dir.h"
#include "profile/load.h"
#include "profile/packed.h"
#include "profile/save.h"

struct recover_settings {
    bool wants_help;
    char *outfile;         // NULL: where the run was to save it
    const char *directory; // NULL: the only one there is
};

#define TARGET(field) offsetof(struct recover_settings, field)

// clang-format off
static const struct option options[] = {
    {.name = "help", .letter = 'h', .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(wants_help), .help = "show this help and exit"},
    {.name = "outfile", .letter = 'o', .kind = OPTION_TEXT, .group = OPTION_BASIC,
     .target = TARGET(outfile), .argument = "FILE",
     .help = "where the profile goes (default: where the run was to save it)"},
};
// clang-format on

static const struct option_table table = {
    .options = options,
    .count = sizeof options / sizeof *options,
};

static bool read_words(struct recover_settings *settings, int count, char **words,
                       struct error *err)
{
    struct option_operand operand = {&settings->directory, "recover takes one directory"};
    return option_parse_around(&table, count, words, settings, &operand, err);
}

// A run directory, its checkpoint, and what that tells.
struct recovered {
    struct run_dir dir;
    bool goes_on; // the program still runs, and is recorded
    struct text text;
    struct profile *profile;
};

static void recovered_clear(struct recovered *recovered)
{
    if (recovered->profile) {
        profile_free(recovered->profile);
    }
    text_clear(&recovered->text);
    run_dir_leave(&recovered->dir);
}

static bool read_checkpoint(struct recovered *recovered, struct error *err)
{
    const struct run_dir *dir = &recovered->dir;
    int fd = openat(dir->fd, RUN_DIR_CHECKPOINT, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        return errno == ENOENT
                   ? error_set(err,
                               "%s has no profile yet: the first is kept a second after the start",
                               dir->path)
                   : error_set(err, "%s: %s", dir->path, strerror(errno));
    }
    struct text *text = &recovered->text;
    bool is_read = packed_read(fd, PROFILE_TEXT_MAX, text);
    close(fd);
    if (!is_read) {
        return error_set(err, "%s: the checkpoint is broken", dir->path);
    }
    return profile_parse(&recovered->profile, text->data ? text->data : "", text->len, dir->path,
                         err);
}

static bool recovered_open(struct recovered *recovered, const char *path, struct error *err)
{
    *recovered = (struct recovered){0};
    enum run_dir_state state = run_dir_reopen(&recovered->dir, path);
    recovered->goes_on = state == RUN_DIR_LIVES;
    if (state == RUN_DIR_NONE) {
        return error_set(err, "%s is no directory of a run of yours; see them with scalene recover",
                         path);
    }
    if (!read_checkpoint(recovered, err)) {
        recovered_clear(recovered);
        return false;
    }
    return true;
}

static bool choose_outfile(const struct recovered *recovered,
                           const struct recover_settings *settings, char **outfile,
                           struct error *err)
{
    char target[PATH_MAX];
    ssize_t len = readlinkat(recovered->dir.fd, RUN_DIR_OUTFILE, target, sizeof target);
    if (settings->outfile || len <= 0) {
        return outfile_choose(outfile, settings->outfile, err);
    }
    *outfile = mem_copy_bytes(target, (size_t)len);
    return true;
}

// The directory goes once its profile is safe.
static bool write_out(struct recovered *recovered, const char *outfile, struct error *err)
{
    const struct text *text = &recovered->text;
    char *elsewhere = NULL;
    if (!profile_save_text(text->data, text->len, outfile, &elsewhere, err)) {
        return false;
    }
    if (elsewhere) {
        message_print("%s", err->text);
    }
    if (recovered->goes_on) {
        message_print("the program still runs and is recorded on; this is the profile so far");
    } else {
        run_dir_close(&recovered->dir);
    }
    closing_print(recovered->profile, elsewhere ? elsewhere : outfile, &(struct leftover_list){0});
    free(elsewhere);
    return true;
}

static bool recover(const char *path, const struct recover_settings *settings, struct error *err)
{
    struct recovered recovered;
    char *outfile = NULL;
    if (!recovered_open(&recovered, path, err)) {
        return false;
    }
    bool is_written =
        choose_outfile(&recovered, settings, &outfile, err) && write_out(&recovered, outfile, err);
    free(outfile);
    recovered_clear(&recovered);
    return is_written;
}

static void print_list(const struct leftover_list *leftovers)
{
    for (size_t i = 0; i < leftovers->count && i < LEFTOVER_MAX; i++) {
        struct recovered found;
        struct error err;
        if (recovered_open(&found, leftovers->paths[i], &err)) {
            printf("%s  %s, %.1f s\n", leftovers->paths[i],
                   found.profile->program ? found.profile->program : "", found.profile->elapsed_s);
            recovered_clear(&found);
        } else {
            printf("%s\n", leftovers->paths[i]);
        }
    }
}

static bool recover_any(const struct recover_settings *settings, struct error *err)
{
    struct leftover_list leftovers = {0};
    bool is_written = false;
    leftover_sweep(&leftovers);
    if (leftovers.count == 1) {
        is_written = recover(leftovers.paths[0], settings, err);
    } else if (leftovers.count == 0) {
        error_set(err,
                  "there is nothing to recover: no killed run of yours from the last %d days (one "
                  "whose program still runs has to be named)",
                  LEFTOVER_KEEP_S / 86400);
    } else {
        print_list(&leftovers);
        error_set(err, "%zu runs can be recovered; name one of their directories", leftovers.count);
    }
    leftover_clear(&leftovers);
    return is_written;
}

static int run(int count, char **words)
{
    struct recover_settings settings = {0};
    struct error err;
    int status = COMMAND_OK;
    if (!read_words(&settings, count, words, &err)) {
        message_print("%s", err.text);
        status = COMMAND_MISUSED;
    } else if (settings.wants_help) {
        help_print(stdout, &recover_command, OPTION_BASIC);
    } else if (settings.directory ? !recover(settings.directory, &settings, &err)
                                  : !recover_any(&settings, &err)) {
        message_print("%s", err.text);
        status = COMMAND_FAILED;
    }
    option_clear(&table, &settings);
    return status;
}

const struct command recover_command = {
    .name = "recover",
    .summary = "save the profile of a run whose scalene was killed",
    .usage = "[options] [directory]",
    .about = "Writes out the profile of a run whose scalene was killed. Without a directory: of "
             "the only such run, or, if there are several, a list of them.",
    .options = &table,
    .operand = OPERAND_NONE,
    .run = run,
};
