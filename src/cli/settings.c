// SPDX-License-Identifier: Apache-2.0
#include "cli/settings.h"

#include <math.h>
#include <stddef.h>

#include "cli/config.h"

#define TARGET(field) offsetof(struct settings, field)

// clang-format off
static const struct option run_options[] = {
    {.name = "help", .letter = 'h', .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(wants_help), .help = "show this help and exit"},
    {.name = "outfile", .letter = 'o', .kind = OPTION_TEXT, .group = OPTION_BASIC,
     .target = TARGET(outfile), .argument = "FILE", .key = "outfile", .key_alias = "output",
     .help = "where the profile goes; its ending becomes .json (default: scalene-profile.json)"},
    {.name = "cpu-only", .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(is_cpu_only), .key = "cpu-only",
     .help = "profile CPU time only: no memory, no GPU"},
    {.name = "config", .letter = 'c', .kind = OPTION_TEXT, .group = OPTION_BASIC,
     .target = TARGET(config), .argument = "FILE",
     .help = "read options from a YAML file; the command line wins"},
    {.name = "python", .kind = OPTION_TEXT, .group = OPTION_BASIC,
     .target = TARGET(python), .argument = "PATH", .key = "python",
     .help = "the interpreter (default: the active virtual environment's, the one the script's "
             "first line names, or python3)"},
    {.name = "help-advanced", .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(wants_advanced_help), .help = "show the advanced options and exit"},

    {.name = "profile-all", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(profiles_all), .key = "profile-all",
     .help = "profile all code, not only the program's own"},
    {.name = "profile-only", .kind = OPTION_TEXT, .group = OPTION_ADVANCED,
     .target = TARGET(profile_only), .argument = "NAMES", .key = "profile-only",
     .help = "profile only files that match one of these names (comma-separated)"},
    {.name = "profile-exclude", .kind = OPTION_TEXT, .group = OPTION_ADVANCED,
     .target = TARGET(profile_exclude), .argument = "NAMES", .key = "profile-exclude",
     .help = "leave out files that match one of these names (comma-separated)"},
    {.name = "profile-system-libraries", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(profiles_system_libraries), .key = "profile-system-libraries",
     .help = "profile the standard library and installed packages too"},
    {.name = "program-path", .kind = OPTION_TEXT, .group = OPTION_ADVANCED,
     .target = TARGET(program_path), .argument = "DIR", .key = "program-path",
     .help = "the directory of the code to profile (default: the program's)"},
    {.name = "gpu", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(has_gpu), .key = "gpu", .help = "profile the GPU (not measured by this version)"},
    {.name = "memory", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(has_memory), .key = "memory", 
     .help = "profile CPU time and memory, not the GPU (the default profiles all that it can)"},
    {.name = "stacks", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(has_stacks), .key = "stacks",
     .help = "collect Python and native stacks (the default)"},
    {.name = "no-stacks", .kind = OPTION_FALSE, .group = OPTION_ADVANCED,
     .target = TARGET(has_stacks), .help = "collect no native stacks"},
    {.name = "async", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(has_async), .key = "async",
     .help = "profile the waiting of coroutines (not measured by this version)"},
    {.name = "no-async", .kind = OPTION_FALSE, .group = OPTION_ADVANCED,
     .target = TARGET(has_async), .help = "do not profile the waiting of coroutines"},
    {.name = "profile-interval", .kind = OPTION_NUMBER, .group = OPTION_ADVANCED,
     .target = TARGET(profile_interval_s), .argument = "SEC", .least = 0.1, .most = INFINITY,
     .key = "profile-interval",
     .help = "write the profile every SEC seconds too (default: only at the end)"},
    {.name = "use-virtual-time", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(has_virtual_time), .key = "use-virtual-time",
     .help = "measure CPU time only and leave waiting out"},
    {.name = "cpu-percent-threshold", .kind = OPTION_NUMBER, .group = OPTION_ADVANCED,
     .target = TARGET(cpu_percent_threshold), .argument = "PERCENT", .least = 0, .most = 100,
     .key = "cpu-percent-threshold",
     .help = "list files from this share of the time on (default: 1)"},
    {.name = "cpu-sampling-rate", .kind = OPTION_NUMBER, .group = OPTION_ADVANCED,
     .target = TARGET(cpu_sampling_s), .argument = "SEC", .least = 0.0001, .most = 60,
     .key = "cpu-sampling-rate",
     .help = "CPU time between two samples of a thread (default: 0.01)"},
    {.name = "allocation-sampling-window", .kind = OPTION_COUNT, .group = OPTION_ADVANCED,
     .target = TARGET(allocation_window_bytes), .argument = "BYTES", .least = 1024,
     .most = 1073741824, .key = "allocation-sampling-window",
     .help = "bytes allocated between two memory samples, on the average (default: 16 kB and more, "
             "as the program allows)"},
    {.name = "malloc-threshold", .kind = OPTION_COUNT, .group = OPTION_ADVANCED,
     .target = TARGET(malloc_threshold), .argument = "N", .key = "malloc-threshold",
     .help = "list lines from this number of allocations on (not used by this version)"},
    {.name = "memory-leak-detector", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(has_leak_detector), .key = "memory-leak-detector",
     .help = "report likely memory leaks (the default)"},
    {.name = "no-memory-leak-detector", .kind = OPTION_FALSE, .group = OPTION_ADVANCED,
     .target = TARGET(has_leak_detector), .help = "report no memory leaks"},
    {.name = "use-legacy-tracer", .kind = OPTION_NOTHING, .group = OPTION_ADVANCED,
     .help = "accepted and not needed: nothing is traced"},
    {.name = "use-python-callback", .kind = OPTION_NOTHING, .group = OPTION_ADVANCED,
     .help = "accepted and not needed: nothing is called back"},
    {.name = "disable-jit", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(is_jit_disabled), .key = "disable-jit",
     .help = "turn off the compilers of JAX, PyTorch and Python, through their variables"},
    {.name = "on", .kind = OPTION_TRUE, .group = OPTION_ADVANCED, .excludes = "off",
     .target = TARGET(is_on), .key = "on", .help = "start with profiling on (the default)"},
    {.name = "off", .kind = OPTION_FALSE, .group = OPTION_ADVANCED, .excludes = "on",
     .target = TARGET(is_on), .key = "off", .help = "start with profiling off"},

    {.name = "json", .kind = OPTION_NOTHING, .group = OPTION_LEGACY},
    {.name = "cli", .kind = OPTION_NOTHING, .group = OPTION_LEGACY},
    {.name = "html", .kind = OPTION_NOTHING, .group = OPTION_LEGACY},
    {.name = "web", .kind = OPTION_NOTHING, .group = OPTION_LEGACY},
    {.name = "viewer", .kind = OPTION_NOTHING, .group = OPTION_LEGACY},
    {.name = "no-browser", .kind = OPTION_NOTHING, .group = OPTION_LEGACY},
    {.name = "reduced-profile", .kind = OPTION_NOTHING, .group = OPTION_LEGACY},
    {.name = "ipython", .kind = OPTION_NOTHING, .group = OPTION_LEGACY},
    {.name = "column-width", .kind = OPTION_NOTHING, .group = OPTION_LEGACY, .argument = "N"},
    {.name = "pid", .kind = OPTION_NOTHING, .group = OPTION_LEGACY, .argument = "N"},
};
// clang-format on

const struct option_table settings_options = {
    .options = run_options,
    .count = sizeof run_options / sizeof *run_options,
    .stop_letters = "m",
};

static struct settings defaults(void)
{
    return (struct settings){
        .has_stacks = true,
        .has_async = true,
        .has_leak_detector = true,
        .is_on = true,
        .profile_interval_s = INFINITY,
        .cpu_sampling_s = 0.01,
        .cpu_percent_threshold = 1,
        .malloc_threshold = 100,
    };
}

// What is profiled is one choice: a command line that makes it replaces the file's.
static void choose_metrics(struct settings *settings, const struct settings *command_line)
{
    if (command_line->is_cpu_only || command_line->has_gpu || command_line->has_memory) {
        settings->is_cpu_only = false;
        settings->has_gpu = false;
        settings->has_memory = false;
    }
}

enum settings_result settings_read(struct settings *settings, int count, char **words, int *used,
                                   struct text *warnings, struct error *err)
{
    *settings = defaults();
    struct settings command_line = defaults();
    enum settings_result result = SETTINGS_OK;
    if (!option_parse(&settings_options, count, words, &command_line, used, err)) {
        result = SETTINGS_MISUSED;
    } else if (command_line.config &&
               !config_load(command_line.config, &settings_options, settings, warnings, err)) {
        result = SETTINGS_BAD_CONFIG;
    } else {
        choose_metrics(settings, &command_line);
        if (!option_parse(&settings_options, count, words, settings, used, err)) {
            result = SETTINGS_MISUSED;
        }
    }
    settings_clear(&command_line);
    return result;
}

bool settings_has_memory(const struct settings *settings)
{
    bool has_choice = settings->is_cpu_only || settings->has_gpu || settings->has_memory;
    return settings->has_memory || !has_choice;
}

void settings_clear(struct settings *settings)
{
    option_clear(&settings_options, settings);
}
