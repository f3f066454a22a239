// SPDX-License-Identifier: Apache-2.0
#include "cli/settings.h"

#include <math.h>
#include <stddef.h>

#include "cli/config.h"
#include "cli/project_file.h"

#define TARGET(field) offsetof(struct settings, field)

// clang-format off
static const struct option run_options[] = {
    {.name = "help", .letter = 'h', .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(wants_help), .is_line_only = true, .help = "show this help and exit"},
    {.name = "outfile", .letter = 'o', .kind = OPTION_TEXT, .group = OPTION_BASIC,
     .target = TARGET(outfile), .argument = "FILE", .content = OPTION_FILE, .key_alias = "output",
     .help = "where the profile goes; its ending becomes .json (default: scalene-profile.json)"},
    {.name = "cpu-only", .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(is_cpu_only), .help = "profile CPU time only: no memory, no GPU, no awaits"},
    {.name = "config", .letter = 'c', .kind = OPTION_TEXT, .group = OPTION_BASIC,
     .target = TARGET(config), .argument = "FILE", .content = OPTION_FILE, .is_line_only = true,
     .help = "read options from a YAML file, or from [tool.scalene] of a TOML file; the command "
             "line wins"},
    {.name = "no-config", .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(ignores_project), .is_line_only = true,
     .help = "do not look for the project's scalene.yaml or pyproject.toml"},
    {.name = "python", .kind = OPTION_TEXT, .group = OPTION_BASIC,
     .target = TARGET(python), .argument = "PATH", .content = OPTION_PROGRAM,
     .help = "the interpreter (default: the active virtual environment's, the one the script's "
             "first line names, or python3)"},
    {.name = "progress", .kind = OPTION_TRUE, .group = OPTION_BASIC, .is_whole_only = true,
     .target = TARGET(shows_progress),
     .help = "show time, CPU, memory and the hottest line while the program runs, in the "
             "terminal's title",
     .more = "If neither output nor errors of the program go to the terminal, they are shown in a "
             "line there instead. Nothing is ever written into the program's output."},
    {.name = "help-advanced", .kind = OPTION_TRUE, .group = OPTION_BASIC,
     .target = TARGET(wants_advanced_help), .is_line_only = true,
     .help = "show the advanced options and exit"},

    {.name = "profile-all", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(profiles_all), .help = "profile all code, not only the program's own"},
    {.name = "profile-only", .kind = OPTION_TEXT, .group = OPTION_ADVANCED,
     .target = TARGET(profile_only), .argument = "NAMES",
     .help = "profile only files that match one of these names (comma-separated)"},
    {.name = "profile-exclude", .kind = OPTION_TEXT, .group = OPTION_ADVANCED,
     .target = TARGET(profile_exclude), .argument = "NAMES",
     .help = "leave out files that match one of these names (comma-separated)"},
    {.name = "profile-system-libraries", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(profiles_system_libraries),
     .help = "profile the standard library and installed packages too"},
    {.name = "profile-children", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(profiles_children),
     .help = "profile the processes that the program starts, too (the default)"},
    {.name = "no-profile-children", .kind = OPTION_FALSE, .group = OPTION_ADVANCED,
     .target = TARGET(profiles_children), .help = "profile the program's first process alone"},
    {.name = "wait-children", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(waits_for_children),
     .help = "go on with children that outlive the program, and write the profile again when the "
             "last has ended (the default)"},
    {.name = "no-wait-children", .kind = OPTION_FALSE, .group = OPTION_ADVANCED,
     .target = TARGET(waits_for_children),
     .help = "write the profile once, when the program ends"},
    {.name = "program-path", .kind = OPTION_TEXT, .group = OPTION_ADVANCED,
     .target = TARGET(program_path), .argument = "DIR", .content = OPTION_FOLDER,
     .help = "the directory of the code to profile (default: the program's)",
     .more = "For -m, -c, standard input and commands installed beside Python the default is the "
             "current directory."},
    {.name = "gpu", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(has_gpu), .help = "profile CPU time and the GPU, not memory (the default profiles all that it can)",
     .more = "NVIDIA, AMD, Intel and other GPUs and AWS Neuron, if the program uses one."},
    {.name = "memory", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(has_memory),
     .help = "profile CPU time and memory, not the GPU (the default profiles all that it can)"},
    {.name = "stacks", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(has_stacks), .help = "collect Python and native stacks (the default)"},
    {.name = "no-stacks", .kind = OPTION_FALSE, .group = OPTION_ADVANCED,
     .target = TARGET(has_stacks), .help = "collect no native stacks"},
    {.name = "async", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(has_async),
     .help = "profile what coroutines wait for (the default, unless CPU time alone is profiled)"},
    {.name = "no-async", .kind = OPTION_FALSE, .group = OPTION_ADVANCED,
     .target = TARGET(has_async), .help = "do not profile the waiting of coroutines"},
    {.name = "profile-interval", .kind = OPTION_NUMBER, .group = OPTION_ADVANCED,
     .target = TARGET(profile_interval_s), .argument = "SEC", .least = 0.1, .most = INFINITY,
     .help = "write the profile every SEC seconds too (default: only at the end)"},
    {.name = "use-virtual-time", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(has_virtual_time), .help = "measure CPU time only and leave waiting out"},
    {.name = "cpu-percent-threshold", .kind = OPTION_NUMBER, .group = OPTION_ADVANCED,
     .target = TARGET(cpu_percent_threshold), .argument = "PERCENT", .least = 0, .most = 100,
     .help = "list files from this share of the time on (default: 1)"},
    {.name = "cpu-sampling-rate", .kind = OPTION_NUMBER, .group = OPTION_ADVANCED,
     .target = TARGET(cpu_sampling_s), .argument = "SEC", .least = 0.0001, .most = 60,
     .help = "CPU time between two samples of a thread (default: 0.01)"},
    {.name = "allocation-sampling-window", .kind = OPTION_COUNT, .group = OPTION_ADVANCED,
     .target = TARGET(allocation_window_bytes), .argument = "BYTES", .least = 1024,
     .most = 1073741824,
     .help = "bytes allocated between two memory samples, on the average (default: 16 kB and more, "
             "as the program allows)",
     .more = "It can be 1024 to 1073741824."},
    {.name = "malloc-threshold", .kind = OPTION_COUNT, .group = OPTION_ADVANCED,
     .target = TARGET(malloc_threshold), .argument = "N",
     .help = "list lines from this number of allocations on (not used by this version)"},
    {.name = "memory-leak-detector", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(has_leak_detector), .help = "report likely memory leaks (the default)"},
    {.name = "no-memory-leak-detector", .kind = OPTION_FALSE, .group = OPTION_ADVANCED,
     .target = TARGET(has_leak_detector), .help = "report no memory leaks"},
    {.name = "use-legacy-tracer", .kind = OPTION_NOTHING, .group = OPTION_ADVANCED,
     .help = "accepted and not needed: nothing is traced"},
    {.name = "use-python-callback", .kind = OPTION_NOTHING, .group = OPTION_ADVANCED,
     .help = "accepted and not needed: nothing is called back"},
    {.name = "disable-jit", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(is_jit_disabled),
     .help = "turn off the compilers of JAX, PyTorch and Python, through their variables",
     .more = "Code that is compiled at run time hides its lines."},
    {.name = "trace", .kind = OPTION_TEXT, .group = OPTION_ADVANCED,
     .target = TARGET(trace), .argument = "PATH", .content = OPTION_FILE,
     .help = "add the trace that the program's own profiler writes there (torch.profiler, JAX, "
             "TensorFlow), by operator",
     .more = "Chrome's JSON, plain or gzipped; of a folder the newest trace in it or below."},
    {.name = "torch", .kind = OPTION_TRUE, .group = OPTION_ADVANCED,
     .target = TARGET(imports_trace),
     .help = "the same, from the current directory: nothing is traced by itself"},
    {.name = "on", .kind = OPTION_TRUE, .group = OPTION_ADVANCED, .excludes = "off",
     .target = TARGET(is_on), .help = "start with profiling on (the default)"},
    {.name = "off", .kind = OPTION_FALSE, .group = OPTION_ADVANCED, .excludes = "on",
     .target = TARGET(is_on), .help = "start with profiling off, until scalene resume"},

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
        .profiles_children = true,
        .waits_for_children = true,
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

// The file that was named, or the project's own if there is one.
static bool read_file(struct settings *settings, const struct settings *command_line,
                      struct text *notices, struct error *err)
{
    struct config config = {.table = &settings_options, .settings = settings, .notices = notices};
    if (command_line->config) {
        config.path = command_line->config;
        return config_load(&config, err);
    }
    struct project_file file = {0};
    bool wants_one = !command_line->ignores_project && !command_line->wants_help &&
                     !command_line->wants_advanced_help;
    if (!wants_one || !project_file_find(&file, notices)) {
        return true;
    }
    text_format(notices, "options are read from %s (--no-config ignores it)\n", file.path);
    config.path = file.path;
    config.folder = file.folder;
    bool is_fine = config_load(&config, err);
    project_file_clear(&file);
    return is_fine;
}

enum settings_result settings_read(struct settings *settings, int count, char **words, int *used,
                                   struct text *notices, struct error *err)
{
    *settings = defaults();
    struct settings command_line = defaults();
    command_line.has_async = false; // unless it is asked for
    enum settings_result result = SETTINGS_OK;
    if (!option_parse(&settings_options, count, words, &command_line, used, err)) {
        result = SETTINGS_MISUSED;
    } else if (!read_file(settings, &command_line, notices, err)) {
        result = SETTINGS_BAD_CONFIG;
    } else {
        choose_metrics(settings, &command_line);
        settings->asks_for_async = command_line.has_async;
        if (!option_parse(&settings_options, count, words, settings, used, err)) {
            result = SETTINGS_MISUSED;
        }
    }
    settings_clear(&command_line);
    return result;
}

static bool has_choice(const struct settings *settings)
{
    return settings->is_cpu_only || settings->has_gpu || settings->has_memory;
}

bool settings_has_memory(const struct settings *settings)
{
    return settings->has_memory || !has_choice(settings);
}

bool settings_has_gpu(const struct settings *settings)
{
    return settings->has_gpu || !has_choice(settings);
}

bool settings_has_async(const struct settings *settings)
{
    return settings->has_async && (!settings->is_cpu_only || settings->asks_for_async);
}

void settings_clear(struct settings *settings)
{
    option_clear(&settings_options, settings);
}
