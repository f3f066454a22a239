// SPDX-License-Identifier: Apache-2.0
// `scalene propose`: asks an AI model to rewrite what is slow, with the measured facts.

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/message.h"
#include "cli/option.h"
#include "cli/outfile.h"
#include "cli/proposal.h"
#include "profile/load.h"
#include "profile/save.h"
#include "suggest/access.h"
#include "suggest/diff.h"
#include "suggest/patch.h"
#include "suggest/place.h"
#include "suggest/provider.h"
#include "suggest/ranking.h"
#include "suggest/region.h"

#define TOP_MAX 20

struct propose_settings {
    bool wants_help;
    bool only_line;
    bool is_for_memory;
    bool allows_gpu;
    bool prints_prompt;
    bool lists_models;
    bool is_agreed;
    uint64_t top;
    double timeout_s;
    char *line;
    char *provider;
    char *model;
    char *address;
    char *instructions;
    char *patch;
    const char *file; // NULL: the default
};

#define TARGET(field) offsetof(struct propose_settings, field)

// clang-format off
static const struct option options[] = {
    {.name = "help", .letter = 'h', .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(wants_help), .help = "show this help and exit"},
    {.name = "print-prompt", .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(prints_prompt), .help = "show what would be sent, and send nothing"},
    {.name = "line", .kind = OPTION_TEXT, .group = OPTION_BASIC, .excludes = "top",
     .target = TARGET(line), .argument = "FILE:N",
     .help = "the region around this line (default: where most time goes)"},
    {.name = "top", .kind = OPTION_COUNT, .group = OPTION_BASIC,
     .target = TARGET(top), .argument = "N", .least = 1, .most = TOP_MAX,
     .help = "so many of the heaviest regions, one after another (default: 1)"},
    {.name = "only-line", .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(only_line), .help = "rewrite the one statement, not the loop or function around it"},
    {.name = "provider", .kind = OPTION_TEXT, .group = OPTION_BASIC,
     .target = TARGET(provider), .argument = "NAME",
     .help = "one of" PROVIDER_WORDS " (default: the first whose key is in the environment)"},
    {.name = "model", .kind = OPTION_TEXT, .group = OPTION_BASIC,
     .target = TARGET(model), .argument = "MODEL", .help = "of the provider (default: one for each)"},
    {.name = "models", .kind = OPTION_TRUE, .group = OPTION_BASIC, .is_whole_only = true,
     .target = TARGET(lists_models), .help = "list the provider's models and exit"},
    {.name = "address", .kind = OPTION_TEXT, .group = OPTION_BASIC,
     .target = TARGET(address), .argument = "URL",
     .help = "where the provider is, for one of your own such as http://localhost:1234/v1"},
    {.name = "memory", .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(is_for_memory), .help = "aim at less memory instead of less time"},
    {.name = "gpu", .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(allows_gpu), .help = "allow libraries that need a GPU"},
    {.name = "instructions", .kind = OPTION_TEXT, .group = OPTION_BASIC,
     .target = TARGET(instructions), .argument = "TEXT", .help = "what else the model should heed"},
    {.name = "patch", .kind = OPTION_TEXT, .group = OPTION_BASIC,
     .target = TARGET(patch), .argument = "FILE", .content = OPTION_FILE,
     .help = "write what changes as a patch; - for the standard output"},
    {.name = "yes", .letter = 'y', .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(is_agreed), .help = "send without asking first"},
    {.name = "timeout", .kind = OPTION_NUMBER, .group = OPTION_BASIC,
     .target = TARGET(timeout_s), .argument = "SECONDS", .least = 0.1, .most = 86400,
     .help = "give up after so long (default: 600)"},
};
// clang-format on

static const struct option_table table = {
    .options = options,
    .count = sizeof options / sizeof *options,
};

static bool choose_provider(const struct propose_settings *settings, struct proposal *proposal,
                            struct error *err)
{
    proposal->provider =
        settings->provider ? provider_find(settings->provider) : provider_default();
    if (!proposal->provider && settings->provider) {
        return error_set(err, "--provider: '%s' is none; it can be one of" PROVIDER_WORDS,
                         settings->provider);
    }
    if (!proposal->provider && settings->address) {
        proposal->provider = &provider_openai;
    }
    return true;
}

// Said only when there is something to ask.
static bool has_provider(const struct propose_settings *settings, const struct proposal *proposal,
                         struct error *err)
{
    struct text variables = {0};
    if (proposal->provider || settings->prints_prompt) {
        return true;
    }
    provider_add_variables(&variables);
    error_set(err,
              "there is nobody to ask: set %s, or name a model of your own with --provider ollama "
              "or --address",
              variables.data);
    text_clear(&variables);
    return false;
}

static bool find_places(const struct propose_settings *settings, const struct profile *profile,
                        struct place *places, size_t *count, struct error *err)
{
    enum region_aim aim = settings->is_for_memory ? REGION_FOR_MEMORY : REGION_FOR_TIME;
    if (settings->line) {
        *count = 1;
        return place_read(&places[0], profile, settings->line, err);
    }
    *count = ranking_top(profile, aim, places, settings->top > 0 ? settings->top : 1);
    return *count > 0 ? true
                      : error_set(err,
                                  "there is nothing to propose for: no region with source "
                                  "text has at least 1 %% of the %s",
                                  settings->is_for_memory ? "memory" : "time");
}

// What is asked about, and what the answers change.
struct work {
    struct place places[TOP_MAX];
    size_t count;
    struct region regions[TOP_MAX];
    struct diff diffs[TOP_MAX];
    size_t done; // regions that were found
};

static bool propose_for(const struct propose_settings *settings, const struct proposal *proposal,
                        const struct profile *profile, struct work *work, struct error *err)
{
    const struct place *place = &work->places[work->done];
    struct region *region = &work->regions[work->done];
    struct diff *diff = &work->diffs[work->done];
    if (!region_find(region, profile, place->file, place->line, settings->only_line, err)) {
        return false;
    }
    work->done++;
    if (settings->prints_prompt) {
        proposal_print_prompt(proposal, profile, region);
        return true;
    }
    return proposal_ask(proposal, profile, region, diff, err);
}

static void clear_work(struct work *work)
{
    for (size_t i = 0; i < work->done; i++) {
        diff_clear(&work->diffs[i]);
        region_clear(&work->regions[i]);
    }
}

static bool write_patch(const struct propose_settings *settings, const struct text *patch,
                        struct error *err)
{
    char *elsewhere = NULL;
    bool is_printed = true;
    if (!settings->patch || isatty(STDOUT_FILENO)) {
        proposal_print_change(patch);
    } else if (strcmp(settings->patch, "-") == 0) {
        is_printed = fputs(patch->data ? patch->data : "", stdout) >= 0;
    }
    if (!is_printed || fflush(stdout) != 0) {
        return error_set(err, "cannot write the patch: %s", strerror(errno));
    }
    if (!settings->patch || strcmp(settings->patch, "-") == 0) {
        return true;
    }
    bool is_saved = profile_save_text(patch->data ? patch->data : "", patch->len, settings->patch,
                                      &elsewhere, err);
    if (is_saved) {
        message_print("patch saved to %s; apply it with patch -p1",
                      elsewhere ? elsewhere : settings->patch);
    }
    free(elsewhere);
    return is_saved;
}

static bool propose(const struct propose_settings *settings, const struct proposal *proposal,
                    struct error *err)
{
    struct profile *profile = NULL;
    struct work work = {0};
    struct text patch = {0};
    if (!profile_load_lines(&profile, settings->file ? settings->file : OUTFILE_DEFAULT, err)) {
        return false;
    }
    bool is_done = find_places(settings, profile, work.places, &work.count, err) &&
                   has_provider(settings, proposal, err);
    while (is_done && work.done < work.count) {
        is_done = propose_for(settings, proposal, profile, &work, err);
    }
    patch_add(&patch, work.diffs, work.done, profile->program_dir);
    struct error patch_err;
    bool is_written = settings->prints_prompt || (!is_done && patch.len == 0) ||
                      write_patch(settings, &patch, is_done ? err : &patch_err);
    text_clear(&patch);
    clear_work(&work);
    profile_free(profile);
    return is_done && is_written;
}

static bool act(const struct propose_settings *settings, struct error *err)
{
    struct proposal proposal = {
        .wish = {.address = settings->address, .model = settings->model},
        .prompt = {.aim = settings->is_for_memory ? REGION_FOR_MEMORY : REGION_FOR_TIME,
                   .allows_gpu = settings->allows_gpu,
                   .instructions = settings->instructions},
        .timeout_s = settings->timeout_s,
        .is_agreed = settings->is_agreed,
        .is_patched = settings->patch && strcmp(settings->patch, "-") == 0,
    };
    access_guard();
    if (!choose_provider(settings, &proposal, err)) {
        return false;
    }
    return settings->lists_models
               ? has_provider(settings, &proposal, err) && proposal_list_models(&proposal, err)
               : propose(settings, &proposal, err);
}

static int run(int count, char **words)
{
    struct propose_settings settings = {0};
    struct option_operand operand = {&settings.file, "propose reads one profile"};
    struct error err;
    int status = COMMAND_OK;
    if (!option_parse_around(&table, count, words, &settings, &operand, &err)) {
        message_print("%s", err.text);
        status = COMMAND_MISUSED;
    } else if (settings.wants_help) {
        help_print(stdout, &propose_command, OPTION_BASIC);
    } else if (!act(&settings, &err)) {
        message_print("%s", err.text);
        status = COMMAND_FAILED;
    }
    option_clear(&table, &settings);
    proposal_end_cancelled();
    return status;
}

const struct command propose_command = {
    .name = "propose",
    .summary = "ask an AI model for faster code, with what was measured",
    .usage = "[options] [profile_file]",
    .about = "Asks an AI model to rewrite what is slow in a profile (default: " OUTFILE_DEFAULT
             "), with what was measured there. Nothing is sent to another computer before you have "
             "seen it and agreed; the answer is shown and never run.",
    .options = &table,
    .operand = OPERAND_PROFILE,
    .run = run,
};
