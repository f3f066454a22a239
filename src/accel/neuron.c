// SPDX-License-Identifier: Apache-2.0

// AWS Neuron, through the vendor's own `neuron-monitor`, which prints a line of JSON a second for
// all runtimes of the machine; ours are told by their process numbers.

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "accel/pace.h"
#include "accel/source.h"
#include "accel/tree.h"
#include "base/mem.h"
#include "base/text.h"

#define PERIOD_S     1.0
#define PASS_S       0.2
#define LINE_MAX_LEN (1u << 20)
#define PASS_BYTES   (4u << 20) // read at a time: a flood must not keep us
#define SILENCE_S    10.0
#define BYTES_PER_MB 1048576.0

static const char config[] =
    "{\"period\":\"1s\",\"neuron_runtimes\":[{\"tag_filter\":\".*\",\"metrics\":["
    "{\"type\":\"neuroncore_counters\"},{\"type\":\"memory_used\"}]}],\"system_metrics\":[]}";

struct neuron {
    pid_t pid;
    int fd;
    struct text line;
    bool is_skipping; // the rest of a line that is too long
    bool is_told;
    uint32_t number;
    double cores_most; // busy at once
    double line_s;     // when the last line came
};

static bool is_for(const struct use *use)
{
    return use->has_neuron;
}

static void become_monitor(int config_fd, int out_fd)
{
    char path[TREE_PATH_MAX];
    char config_path[32];
    char name[] = "neuron-monitor";
    char option[] = "-c";
    char *const words[] = {name, option, config_path, NULL};
    snprintf(config_path, sizeof config_path, "/dev/fd/%d", config_fd);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(out_fd, STDOUT_FILENO);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    if (tree_root()[0] != '\0') {
        if (tree_path(path, "/bin/neuron-monitor")) {
            execv(path, words);
        }
    } else {
        execvp(words[0], words);
        execv("/opt/aws/neuron/bin/neuron-monitor", words);
    }
    _exit(127);
}

// Returns its process, with what it prints in `fd`; -1, with errno, when it cannot be started.
static pid_t start_monitor(int config_fd, int *fd)
{
    int ends[2];
    if (write(config_fd, config, sizeof config - 1) < 0 || lseek(config_fd, 0, SEEK_SET) != 0 ||
        pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        become_monitor(config_fd, ends[1]);
    }
    close(ends[1]);
    *fd = ends[0];
    if (pid < 0) {
        close(ends[0]);
    }
    return pid;
}

static void *open_neuron(struct source_out *out)
{
    int fd = -1;
    int config_fd = memfd_create("neuron-monitor.conf", 0);
    pid_t pid = config_fd >= 0 ? start_monitor(config_fd, &fd) : -1;
    if (pid < 0) {
        source_note(out,
                    "The program uses AWS Neuron, which was not measured: neuron-monitor could not "
                    "be started: %s.",
                    strerror(errno));
    }
    if (config_fd >= 0) {
        close(config_fd);
    }
    if (pid < 0) {
        return NULL;
    }
    fcntl(fd, F_SETFL, O_NONBLOCK);
    struct neuron *neuron = mem_alloc(sizeof *neuron);
    neuron->pid = pid;
    neuron->fd = fd;
    neuron->line_s = pace_now_s();
    return neuron;
}

static void close_neuron(void *state)
{
    struct neuron *neuron = state;
    kill(neuron->pid, SIGKILL); // it has nothing to put in order
    waitpid(neuron->pid, NULL, 0);
    close(neuron->fd);
    text_clear(&neuron->line);
    free(neuron);
}

static const json_t *member(const json_t *object, const char *key)
{
    return json_object_get(object, key);
}

static double core_memory_mb(const json_t *report)
{
    const json_t *used = member(member(report, "memory_used"), "neuron_runtime_used_bytes");
    const json_t *cores = member(member(used, "usage_breakdown"), "neuroncore_memory_usage");
    double bytes = 0;
    const char *core;
    json_t *parts;
    json_object_foreach((json_t *)cores, core, parts)
    {
        const char *what;
        json_t *part;
        json_object_foreach(parts, what, part)
        {
            bytes += json_number_value(part);
        }
    }
    if (!cores) {
        bytes = json_number_value(member(used, "neuron_device"));
    }
    return bytes / BYTES_PER_MB;
}

struct load {
    double percent_sum;
    double cores;
    double memory_mb;
};

static struct load load_of(const json_t *runtime)
{
    struct load load = {0};
    const json_t *report = member(runtime, "report");
    const json_t *cores = member(member(report, "neuroncore_counters"), "neuroncores_in_use");
    const char *core;
    json_t *counters;
    json_object_foreach((json_t *)cores, core, counters)
    {
        double percent = json_number_value(member(counters, "neuroncore_utilization"));
        load.percent_sum += fmax(0, fmin(100, percent));
        load.cores += 1;
    }
    load.memory_mb = core_memory_mb(report);
    return load;
}

static struct source_process *process_of(struct source_process *processes, size_t count, int pid)
{
    for (size_t i = 0; i < count; i++) {
        if (processes[i].pid == pid) {
            return &processes[i];
        }
    }
    return NULL;
}

static void tell_device(struct neuron *neuron, struct source_out *out)
{
    if (!neuron->is_told) {
        struct source_device told = {.vendor = "AWS", .name = "AWS Neuron"};
        neuron->number = source_tell_device(out, &told);
        neuron->is_told = true;
    }
}

static void take_report(struct neuron *neuron, const json_t *root, struct source_out *out,
                        struct source_process *processes, size_t count)
{
    const json_t *runtimes = member(root, "neuron_runtime_data");
    struct source_reading sum = {.scope = MESSAGE_SCOPE_PROCESS,
                                 .memory_scope = MESSAGE_SCOPE_PROCESS,
                                 .others = MESSAGE_OTHERS_NONE};
    if (!json_is_array(runtimes)) {
        return;
    }
    tell_device(neuron, out);
    for (size_t i = 0; i < json_array_size(runtimes); i++) {
        const json_t *runtime = json_array_get(runtimes, i);
        int pid = (int)json_integer_value(member(runtime, "pid"));
        struct source_process *process = process_of(processes, count, pid);
        if (process) {
            struct load load = load_of(runtime);
            neuron->cores_most = fmax(neuron->cores_most, load.cores);
            double cores = fmax(1, neuron->cores_most);
            struct source_reading reading = {.busy = load.percent_sum / cores / 100,
                                             .memory_mb = load.memory_mb,
                                             .scope = MESSAGE_SCOPE_PROCESS,
                                             .memory_scope = MESSAGE_SCOPE_PROCESS};
            source_process_add(process, &reading);
            sum.busy += reading.busy;
            sum.memory_mb += reading.memory_mb;
        } else {
            sum.others = MESSAGE_OTHERS_PRESENT;
        }
    }
    out->begin_s = fmax(neuron->line_s, out->end_s - 2 * PERIOD_S);
    neuron->line_s = out->end_s;
    source_tell_reading(out, neuron->number, &sum);
}

// Several lines that came at once are one reading: the last.
static void take_line(struct neuron *neuron, json_t **last)
{
    json_t *root =
        json_loadb(neuron->line.data ? neuron->line.data : "", neuron->line.len, 0, NULL);
    if (json_is_object(root)) {
        json_decref(*last);
        *last = root;
    } else {
        json_decref(root);
    }
}

static void take_bytes(struct neuron *neuron, const char *bytes, size_t len, json_t **last)
{
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] == '\n') {
            if (!neuron->is_skipping) {
                take_line(neuron, last);
            }
            neuron->is_skipping = false;
            neuron->line.len = 0;
        } else if (neuron->line.len >= LINE_MAX_LEN) {
            neuron->is_skipping = true;
        } else {
            text_add_char(&neuron->line, bytes[i]);
        }
    }
}

// Returns false when the monitor has ended.
static bool read_lines(struct neuron *neuron, json_t **last)
{
    char bytes[65536];
    for (size_t taken = 0; taken < PASS_BYTES;) {
        ssize_t len = read(neuron->fd, bytes, sizeof bytes);
        if (len <= 0) {
            return len < 0 && (errno == EAGAIN || errno == EINTR);
        }
        take_bytes(neuron, bytes, (size_t)len, last);
        taken += (size_t)len;
    }
    return true;
}

static bool sample_neuron(void *state, struct source_out *out, struct source_process *processes,
                          size_t count)
{
    struct neuron *neuron = state;
    json_t *last = NULL;
    bool goes_on = read_lines(neuron, &last);
    if (last) {
        take_report(neuron, last, out, processes, count);
        json_decref(last);
    }
    if (!goes_on) {
        source_note(out, neuron->is_told
                             ? "AWS Neuron was not measured to the end: neuron-monitor has ended."
                             : "The program uses AWS Neuron, which was not measured: "
                               "neuron-monitor is not installed or does not start.");
    } else if (out->end_s - neuron->line_s > SILENCE_S) {
        source_note(out, "AWS Neuron was not measured all the time: neuron-monitor is silent.");
    }
    return goes_on;
}

const struct source source_neuron = {
    .name = "neuron",
    .method = "neuron-monitor",
    .period_s = PASS_S,
    .is_for = is_for,
    .open = open_neuron,
    .sample = sample_neuron,
    .close = close_neuron,
};
