// SPDX-License-Identifier: Apache-2.0
// Shapes of programs, half of which leak. Line 0 is the one that is looked at, 1 and 2 are others.

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "leak_program.h"

#define KB       1024.0
#define MB       (1024 * KB)
#define ROOM_MAX 512u

static void add(struct program *program, struct program_block block)
{
    program->blocks =
        mem_grow(program->blocks, program->count, &program->capacity, sizeof *program->blocks);
    program->blocks[program->count++] = block;
}

// One line that allocates blocks of a size at a rate, from one moment to another; `life` gives how
// long a block lives that was born then.
struct stream {
    unsigned line;
    double size;
    double rate; // bytes a second
    double from_s;
    double to_s;
    double swing; // of the rate, 0 to 1
    double period_s;
    double (*life)(struct program *program, const struct stream *stream, double birth_s);
    double parameter; // of `life`, seconds or a share
    double second;
};

static void run_stream(struct program *program, struct stream stream)
{
    double bytes = fmax(stream.size, program->mean);
    bool is_sampled = stream.size < program->mean;
    double time_s = stream.from_s;
    while (time_s < stream.to_s) {
        double wave = stream.swing > 0 ? sin(2 * M_PI * time_s / stream.period_s) : 0;
        double gap_s = bytes / (stream.rate * (1 + stream.swing * wave));
        double birth_s = time_s + gap_s * (is_sampled ? program_chance(program) : 0);
        if (birth_s < stream.to_s) {
            add(program,
                (struct program_block){.birth_s = birth_s,
                                       .death_s = birth_s + stream.life(program, &stream, birth_s),
                                       .bytes = bytes,
                                       .line = stream.line});
        }
        time_s += gap_s;
    }
}

static double for_ever(struct program *program, const struct stream *stream, double birth_s)
{
    (void)program, (void)stream, (void)birth_s;
    return INFINITY;
}

static double constant(struct program *program, const struct stream *stream, double birth_s)
{
    (void)program, (void)birth_s;
    return stream->parameter;
}

static double exponential(struct program *program, const struct stream *stream, double birth_s)
{
    (void)birth_s;
    return -stream->parameter * log(1 - program_chance(program));
}

// Until the batch is over: every `parameter` seconds.
static double until_batch_ends(struct program *program, const struct stream *stream, double birth_s)
{
    (void)program;
    double shifted_s = birth_s + stream->second;
    return (floor(shifted_s / stream->parameter) + 1) * stream->parameter - shifted_s;
}

// A share of the blocks for ever, the rest for a moment.
static double some_for_ever(struct program *program, const struct stream *stream, double birth_s)
{
    (void)birth_s;
    return program_chance(program) < stream->parameter ? INFINITY
                                                       : stream->second * program_chance(program);
}

// Of a power law from a millisecond up.
static double heavy_tailed(struct program *program, const struct stream *stream, double birth_s)
{
    (void)birth_s;
    return 0.001 * pow(1 - program_chance(program), -1 / stream->parameter);
}

// In a queue whose reader takes a share of what comes.
static double in_backlog(struct program *program, const struct stream *stream, double birth_s)
{
    (void)program;
    return birth_s / stream->parameter - birth_s;
}

static double size_of(struct program *program, double low, double high)
{
    return low * pow(high / low, program_chance(program));
}

static struct stream stream_of(struct program *program, unsigned line, double mb_s)
{
    return (struct stream){.line = line,
                           .size = size_of(program, 64, 200 * KB),
                           .rate = mb_s * MB,
                           .to_s = program->run_s,
                           .life = constant,
                           .parameter = 0.01};
}

static double churn_rate(struct program *program)
{
    return size_of(program, 5, 50);
}

static void add_churn(struct program *program)
{
    run_stream(program, stream_of(program, 1, churn_rate(program)));
}

static void leak_beside_churn(struct program *program)
{
    add_churn(program);
    struct stream leak = stream_of(program, 0, program_between(program, 1, 4));
    leak.life = for_ever;
    run_stream(program, leak);
}

static void leak_of_one_percent(struct program *program)
{
    program->run_s = 60;
    struct stream leak = stream_of(program, 0, program_between(program, 20, 120));
    leak.size = size_of(program, 64, 16 * KB);
    leak.life = some_for_ever;
    leak.parameter = 0.01;
    leak.second = program_between(program, 0.01, 2);
    run_stream(program, leak);
}

static void leak_of_a_part(struct program *program)
{
    struct stream leak = stream_of(program, 0, churn_rate(program));
    leak.life = some_for_ever;
    leak.parameter = fmax(0.1, 1.2 * MB / leak.rate);
    leak.second = program_between(program, 0.01, program->run_s / 8);
    run_stream(program, leak);
}

static void leak_behind_sawteeth(struct program *program)
{
    struct stream batch = stream_of(program, 1, 40);
    batch.size = fmax(batch.size, 4 * KB);
    batch.life = until_batch_ends;
    batch.parameter = program_between(program, 0.5, program->run_s / 6);
    run_stream(program, batch);
    struct stream leak = stream_of(program, 0, program_between(program, 1, 3));
    leak.life = for_ever;
    run_stream(program, leak);
}

static void leak_after_warm_up(struct program *program)
{
    add_churn(program);
    struct stream tables = stream_of(program, 0, 40);
    tables.to_s = program_between(program, 0.02, 0.2) * program->run_s;
    tables.life = for_ever;
    run_stream(program, tables);
    struct stream leak = stream_of(program, 0, program_between(program, 1.5, 4));
    leak.from_s = tables.to_s;
    leak.life = for_ever;
    run_stream(program, leak);
}

static void leak_under_changing_load(struct program *program)
{
    struct stream churn = stream_of(program, 1, churn_rate(program));
    struct stream leak = stream_of(program, 0, program_between(program, 1.5, 4));
    churn.swing = leak.swing = 0.6;
    churn.period_s = leak.period_s = program_between(program, 0.02, 0.6) * program->run_s;
    leak.life = for_ever;
    run_stream(program, churn);
    run_stream(program, leak);
}

static void leak_of_large_blocks(struct program *program)
{
    add_churn(program);
    struct stream leak = stream_of(program, 0, 0);
    leak.size = program_between(program, 0.3, 1) * MB;
    leak.rate = leak.size * program_between(program, 2.5, 5);
    leak.life = for_ever;
    run_stream(program, leak);
}

static void backlog(struct program *program)
{
    add_churn(program);
    struct stream queue = stream_of(program, 0, program_between(program, 8, 20));
    queue.life = in_backlog;
    queue.parameter = program_between(program, 0.4, 0.8);
    run_stream(program, queue);
}

static void rolling_window(struct program *program)
{
    add_churn(program);
    struct stream window = stream_of(program, 0, program_between(program, 2, 20));
    window.parameter = program_between(program, 0.02, 0.75) * program->run_s;
    run_stream(program, window);
}

static void batches(struct program *program)
{
    add_churn(program);
    struct stream batch = stream_of(program, 0, program_between(program, 2, 20));
    batch.life = until_batch_ends;
    batch.parameter = program_between(program, 0.02, 0.75) * program->run_s;
    batch.second = program_chance(program) * batch.parameter;
    run_stream(program, batch);
}

static void random_lifetimes(struct program *program)
{
    add_churn(program);
    struct stream stream = stream_of(program, 0, program_between(program, 2, 20));
    stream.life = exponential;
    stream.parameter = program_between(program, 0.01, 0.4) * program->run_s;
    run_stream(program, stream);
}

static void heavy_tails(struct program *program)
{
    struct stream stream = stream_of(program, 0, program_between(program, 5, 50));
    stream.life = heavy_tailed;
    stream.parameter = program_between(program, 0.7, 1.5);
    run_stream(program, stream);
}

static void built_then_used(struct program *program)
{
    add_churn(program);
    struct stream build = stream_of(program, 0, program_between(program, 2, 20));
    build.to_s = program_between(program, 0.05, 0.75) * program->run_s;
    build.life = for_ever;
    run_stream(program, build);
}

static void built_at_the_end(struct program *program)
{
    add_churn(program);
    struct stream build = stream_of(program, 0, program_between(program, 2, 20));
    build.from_s = program_between(program, 0.6, 0.95) * program->run_s;
    build.life = for_ever;
    run_stream(program, build);
}

static void loader(struct program *program)
{
    struct stream load = stream_of(program, 0, program_between(program, 5, 20));
    load.life = for_ever;
    run_stream(program, load);
    struct stream text =
        stream_of(program, 1, load.rate / MB * program_between(program, 0.05, 0.4));
    run_stream(program, text);
}

// What one line holds, another takes over in a new form.
static void converted(struct program *program)
{
    add_churn(program);
    double total = program_between(program, 20, 100) * MB;
    double load_s = 0.1 * program->run_s;
    struct stream raw = stream_of(program, 1, total / load_s / MB);
    raw.to_s = load_s;
    raw.life = in_backlog;
    raw.parameter = 0.1;
    run_stream(program, raw);
    struct stream converted = stream_of(program, 0, total / program->run_s / MB);
    converted.life = for_ever;
    run_stream(program, converted);
}

static void rising_load(struct program *program)
{
    struct stream stream = stream_of(program, 0, churn_rate(program));
    stream.swing = program_between(program, 0.3, 0.8);
    stream.period_s = program_between(program, 0.5, 4) * program->run_s;
    stream.parameter = program_between(program, 0.005, 0.1) * program->run_s;
    run_stream(program, stream);
}

// A cache without a bound, asked for one of so many things at random: it fills ever more slowly.
static void cache_that_fills(struct program *program)
{
    add_churn(program);
    double keys = floor(program_between(program, 50, 400));
    double fill_s = program_between(program, 0.02, 0.25) * program->run_s;
    double size = fmax(program->mean, size_of(program, 20, 500) * KB);
    double missing = keys;
    double time_s = 0;
    while (missing >= 1) {
        time_s -= fill_s / missing * log(1 - program_chance(program));
        if (time_s < program->run_s) {
            add(program, (struct program_block){time_s, INFINITY, size, 0});
        }
        missing--;
    }
}

// The least recently used makes room.
static void least_recently_used(struct program *program)
{
    add_churn(program);
    unsigned room = (unsigned)program_between(program, 20, ROOM_MAX);
    double surplus = program_between(program, 1.2, 6);
    double keys = room * surplus;
    double size = fmax(program->mean, size_of(program, 20, 300) * KB);
    double full_s = program_between(program, 0.05, 0.7) * program->run_s;
    double step_s = full_s / (keys * log(surplus / (surplus - 1)));
    double used_s[ROOM_MAX];
    double keys_kept[ROOM_MAX];
    size_t blocks[ROOM_MAX];
    unsigned count = 0;
    for (double now_s = 0; now_s < program->run_s; now_s += step_s) {
        double key = floor(program_between(program, 0, keys));
        unsigned at = 0;
        unsigned oldest = 0;
        while (at < count && keys_kept[at] != key) {
            oldest = used_s[at] < used_s[oldest] ? at : oldest;
            at++;
        }
        if (at == count) {
            at = count < room ? count++ : oldest;
            if (at == oldest && count == room && keys_kept[at] != key && now_s > 0) {
                program->blocks[blocks[at]].death_s = now_s;
            }
            blocks[at] = program->count;
            add(program, (struct program_block){now_s, INFINITY, size, 0});
        }
        keys_kept[at] = key;
        used_s[at] = now_s;
    }
}

// A queue that is as long as chance will have it: readers and writers are equally fast.
static void critical_queue(struct program *program)
{
    add_churn(program);
    double size = fmax(program->mean, size_of(program, 20, 300) * KB);
    double step_s = program->run_s / program_between(program, 1000, 8000);
    size_t queue[8192];
    size_t head = 0;
    size_t tail = 0;
    for (double now_s = 0; now_s < program->run_s; now_s += step_s) {
        if (program_chance(program) < 0.5) {
            queue[tail++ % 8192] = program->count;
            add(program, (struct program_block){now_s, INFINITY, size, 0});
        } else if (head < tail) {
            program->blocks[queue[head++ % 8192]].death_s = now_s;
        }
    }
}

// Growth that sets in, and levels off.
static void logistic_growth(struct program *program)
{
    add_churn(program);
    double middle_s = program_between(program, 0.1, 0.5) * program->run_s;
    double scale_s = program_between(program, 0.01, 0.08) * program->run_s;
    double size = fmax(program->mean, size_of(program, 4, 200) * KB);
    double count = program_between(program, 100, 1000);
    for (double i = 0.5; i < count; i++) {
        double birth_s = middle_s + scale_s * log(i / (count - i));
        if (birth_s > 0 && birth_s < program->run_s) {
            add(program, (struct program_block){birth_s, INFINITY, size, 0});
        }
    }
}

// People come, each with many blocks, and go.
static void sessions(struct program *program)
{
    add_churn(program);
    double stay_s = program_between(program, 0.02, 0.35) * program->run_s;
    double gap_s = program->run_s / program_between(program, 20, 200);
    double size = fmax(program->mean, size_of(program, 1, 40) * KB);
    for (double now_s = 0; now_s < program->run_s; now_s += gap_s * 2 * program_chance(program)) {
        double death_s = now_s - stay_s * log(1 - program_chance(program));
        for (int i = 0; i < 30; i++) {
            add(program,
                (struct program_block){now_s + i * 1e-3, fmax(death_s, now_s + 0.05), size, 0});
        }
    }
}

const struct shape program_shapes[] = {
    {"leak beside churn", leak_beside_churn, 1},
    {"leak of one percent", leak_of_one_percent, 1},
    {"leak of a part", leak_of_a_part, 1},
    {"leak behind sawteeth", leak_behind_sawteeth, 1},
    {"leak after warm-up", leak_after_warm_up, 1},
    {"leak under changing load", leak_under_changing_load, 1},
    {"leak of large blocks", leak_of_large_blocks, 1},
    {"backlog", backlog, 1},
    {"rolling window", rolling_window, 0},
    {"batches", batches, 0},
    {"random lifetimes", random_lifetimes, 0},
    {"heavy tails", heavy_tails, 0},
    {"built, then used", built_then_used, 0},
    {"built at the end", built_at_the_end, 0},
    {"loader", loader, 0},
    {"converted", converted, 0},
    {"rising load", rising_load, 0},
    {"cache that fills", cache_that_fills, 0},
    {"least recently used", least_recently_used, 0},
    {"critical queue", critical_queue, 0},
    {"logistic growth", logistic_growth, 0},
    {"sessions", sessions, 0},
};
const size_t program_shape_count = sizeof program_shapes / sizeof *program_shapes;
