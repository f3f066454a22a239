// SPDX-License-Identifier: Apache-2.0
#include "collect/leak_verdict.h"

#include <math.h>

#include "collect/chance.h"

#define SHORTEST_RUN_S 8.0
#define LEFT_OUT       (1.0 / 32) // of the run, at its end: a program may tidy up before it goes
#define LEAST_GROWTH   (1024.0 * 1024)
#define LEAST_SHARE    0.01      // of the most that the process held
#define MOST_KEPT      (2.0 / 3) // of all that the process allocates: more is gathering, not work

#define LIFE_SUPPOSED  0.5  // of the run: how long an old block lives on at most, if nothing leaks
#define DECAY_SUPPOSED 5.0  // a cache that is 99 % full at the end
#define WITNESSES      32.0 // that the windows of a run can be, however many blocks they hold
#define BIRTHS_WINDOW  4.0  // separate events that a window counts for at most

#define SIGMAS 4.0 // of the samples, that their sum must have grown by

#define LOOKS       10     // ages and starts tried: 3 by 3, and one for a backlog
#define PRIOR       5000.0 // lines for one that leaks
#define REPORTED    0.95
#define DRIFT_STEPS 8u

// What is asked of a life table again and again, as of the end of its last window that counts.
struct history {
    const struct leak_book *book;
    const struct life_table *table;
    unsigned windows;
    double block;              // bytes that one sampled block stands for
    double born[LIFE_WINDOWS]; // bytes by the window of their birth ...
    double kept[LIFE_WINDOWS]; // ... and what is left of them
};

// The windows that a judgement rests on: from the first to before the end.
struct stretch {
    unsigned first;
    unsigned end;
};

static void read_history(struct history *history, const struct leak_book *book,
                         const struct life_table *table, unsigned windows)
{
    *history = (struct history){book, table, windows, .block = life_block(table)};
    for (unsigned i = 0; i < windows; i++) {
        history->born[i] = life_born(table, i);
        history->kept[i] = life_alive_after(table, i, windows - 1);
    }
}

// The sum of windows, whose first and last may count in part.
static double sum_in(const double *values, double first, double end)
{
    double sum = 0;
    for (unsigned i = 0; i < LIFE_WINDOWS; i++) {
        double part = fmin(end, i + 1.0) - fmax(first, i);
        sum += part > 0 ? part * values[i] : 0;
    }
    return sum;
}

// That blocks older than `age` windows die so rarely by chance, though they live on for less than
// half a run. Blocks of one window may belong together and die together: they are few witnesses.
static double chance_of_survival(const struct history *history, unsigned age)
{
    double deaths = 0;
    double exposure = 0;
    double most = WITNESSES / history->windows;
    for (unsigned birth = 0; birth + age + 1 < history->windows; birth++) {
        double old = life_alive_after(history->table, birth, birth + age);
        double witnesses = fmin(most, old / history->block);
        for (unsigned end = birth + age + 1; old > 0 && end < history->windows; end++) {
            exposure += witnesses * life_alive_after(history->table, birth, end) / old;
        }
        deaths += old > 0 ? witnesses * (1 - history->kept[birth] / old) : 0;
    }
    return chance_of_so_few(deaths, exposure / (LIFE_SUPPOSED * history->windows));
}

// That what stays was born so evenly over the stretch by chance, though its coming dies down, or
// has only begun.
static double chance_of_evenness(const struct history *history, struct stretch stretch)
{
    double sum = 0;
    double squares = 0;
    double moments = 0;
    for (unsigned i = stretch.first; i < stretch.end; i++) {
        double kept = history->kept[i];
        sum += kept;
        squares += kept * kept;
        moments += kept * (i + 0.5 - stretch.first) / (stretch.end - stretch.first);
    }
    if (sum <= 0) {
        return 1;
    }
    double births = fmin(sum / history->block, BIRTHS_WINDOW * sum * sum / squares);
    double mean = moments / sum;
    return chance_of_so_late(fmin(mean, 1 - mean), births, DECAY_SUPPOSED);
}

// Neither half of the stretch has less than half of what the other has, its last quarter is not far
// behind, and it goes on to the end of the run.
static bool keeps_pace(const struct history *history, struct stretch stretch)
{
    const double *kept = history->kept;
    double length = stretch.end - stretch.first;
    double sum = sum_in(kept, stretch.first, stretch.end);
    double early = sum_in(kept, stretch.first, stretch.first + length / 2);
    double rest = (history->windows - stretch.first) / 4.0;
    double pace = sum / length;
    return early >= sum / 3 && early <= sum * 2 / 3 &&
           sum_in(kept, stretch.end - length / 4, stretch.end) >= pace * length / 8 &&
           sum_in(kept, history->windows - rest, history->windows) >= pace * rest / 2;
}

// Old blocks do not die as fast as new ones come: they do in a cache that is full.
static bool outgrows_deaths(const struct history *history, unsigned age)
{
    unsigned last = history->windows - history->windows / 4;
    double deaths = 0;
    for (unsigned end = last; end < history->windows; end++) {
        for (unsigned birth = 0; birth + age < end; birth++) {
            deaths += life_ended(history->table, birth, end);
        }
    }
    return deaths <= sum_in(history->kept, last, history->windows) / 2;
}

// The process works: it frees much of what it allocates. One that only gathers may be building what
// it is for.
static bool is_at_work(const struct history *whole, unsigned first)
{
    return sum_in(whole->kept, first, whole->windows) <=
           MOST_KEPT * sum_in(whole->born, first, whole->windows);
}

static double highest(const double *values, unsigned first, unsigned end)
{
    double most = -INFINITY;
    for (unsigned i = first; i < end; i++) {
        most = fmax(most, values[i]);
    }
    return most;
}

static double lowest(const double *values, unsigned first, unsigned end)
{
    double least = INFINITY;
    for (unsigned i = first; i < end; i++) {
        least = fmin(least, values[i]);
    }
    return least;
}

static double trough_in(const struct life_table *table, unsigned first, unsigned end)
{
    double least = INFINITY;
    for (unsigned i = first; i < end; i++) {
        least = fmin(least, (double)table->troughs[i]);
    }
    return least;
}

// The process grows along with the line, from peak to peak or from trough to trough: else what it
// holds only changes its form. The first third may be its start. Growth that fills the holes of an
// earlier peak does not show in the footprint, but in the samples if it is far above their noise.
static bool process_grows(const struct history *history, unsigned first, double growth)
{
    const struct leak_book *book = history->book;
    const struct life_table *whole = &book->whole;
    unsigned end = history->windows;
    unsigned last = end - (end - first) / 3;
    unsigned middle = end - 2 * ((end - first) / 3);
    double peaks = highest(book->peaks, last, end) - highest(book->peaks, middle, last);
    double lows = lowest(book->troughs, last, end) - lowest(book->troughs, middle, last);
    double sampled = trough_in(whole, last, end) - trough_in(whole, middle, last);
    double noise = SIGMAS * sqrt(2 * life_block(whole) * whole->live);
    return fmax(fmax(peaks, lows), sampled - noise) >= growth / 6;
}

static bool is_large(const struct history *history, double growth)
{
    return growth >= LEAST_GROWTH &&
           growth >= LEAST_SHARE * highest(history->book->peaks, 0, history->windows);
}

struct finding {
    double chance;
    double velocity; // bytes a window
};

static void find(struct finding *best, double chance, double velocity)
{
    if (chance < best->chance) {
        *best = (struct finding){chance, velocity};
    }
}

// Bytes a window, without the start of the process.
static double pace_of(const struct history *history, unsigned end)
{
    unsigned first = history->windows / 3;
    return sum_in(history->kept, first, end) / (end - first);
}

// Blocks that stay for ever, and come evenly all the time.
static void look_for_survivors(const struct history *history, unsigned first, struct finding *best)
{
    for (unsigned part = 16; part >= 4; part /= 2) {
        unsigned age = (history->windows + part / 2) / part;
        struct stretch stretch = {first, history->windows - age};
        double growth = sum_in(history->kept, stretch.first, stretch.end);
        if (is_large(history, growth) && keeps_pace(history, stretch) &&
            outgrows_deaths(history, age) && process_grows(history, first, growth)) {
            double chance = chance_of_survival(history, age) + chance_of_evenness(history, stretch);
            find(best, chance, pace_of(history, stretch.end));
        }
    }
}

// A queue that gets longer and longer all the time: its blocks are freed, but each later after its
// birth than the last. Time in the queue is the least that it holds by what comes in, so that a
// rising load is none.
static void look_for_backlog(const struct history *history, struct finding *best)
{
    unsigned first = (history->windows + 5) / 10; // the process may take a moment to start
    unsigned bounds[DRIFT_STEPS + 2];
    double stays[DRIFT_STEPS + 1];
    double steps[DRIFT_STEPS];
    for (unsigned i = 0; i < DRIFT_STEPS + 2; i++) {
        bounds[i] = first + (history->windows - first) * i / (DRIFT_STEPS + 1);
    }
    for (unsigned i = 0; i <= DRIFT_STEPS; i++) {
        double born = sum_in(history->born, bounds[i], bounds[i + 1]);
        if (born <= 0) {
            return;
        }
        stays[i] = trough_in(history->table, bounds[i], bounds[i + 1]) *
                   (bounds[i + 1] - bounds[i]) / born;
    }
    for (unsigned i = 0; i < DRIFT_STEPS; i++) {
        steps[i] = (stays[i + 1] - stays[i]) / (bounds[i + 1] - bounds[i]);
    }
    double early = stays[DRIFT_STEPS / 2] - stays[0];
    double late = stays[DRIFT_STEPS] - stays[DRIFT_STEPS / 2];
    double growth = trough_in(history->table, bounds[DRIFT_STEPS], history->windows) -
                    trough_in(history->table, bounds[0], bounds[1]);
    if (late >= early / 2 && early >= late / 2 && is_large(history, growth) &&
        growth >= WITNESSES / 2 * history->block && process_grows(history, 0, growth)) {
        find(best, chance_of_such_drift(steps, DRIFT_STEPS),
             growth / (bounds[DRIFT_STEPS] - first));
    }
}

static struct finding look(const struct history *line, const struct history *whole)
{
    struct finding best = {.chance = 1};
    for (unsigned sixths = 0; sixths <= 2; sixths++) {
        unsigned first = line->windows * sixths / 6;
        if (is_at_work(whole, first)) {
            look_for_survivors(line, first, &best);
        }
    }
    if (is_at_work(whole, 0)) {
        look_for_backlog(line, &best);
    }
    return best;
}

struct leak_verdict leak_verdict(struct leak_book *book, struct life_table *line, double now_s)
{
    leak_reach(book, line, now_s);
    double run_s = now_s - book->start_s;
    if (run_s < SHORTEST_RUN_S || line->bytes <= 0) {
        return (struct leak_verdict){0};
    }
    struct history history;
    struct history whole;
    unsigned windows = (unsigned)(run_s * (1 - LEFT_OUT) / book->width_s);
    read_history(&history, book, line, windows);
    read_history(&whole, book, &book->whole, windows);
    struct finding best = look(&history, &whole);
    double chance = fmin(1, LOOKS * best.chance);
    double likelihood = (1 - chance) / (1 + PRIOR * chance);
    return (struct leak_verdict){.is_leak = likelihood >= REPORTED,
                                 .likelihood = likelihood,
                                 .velocity_b_s = best.velocity / book->width_s};
}
