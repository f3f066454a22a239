// SPDX-License-Identifier: Apache-2.0
#include "leak_program.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define MB (1024.0 * 1024)

double program_chance(struct program *program)
{
    program->random += 0x9e3779b97f4a7c15u;
    uint64_t mixed = program->random;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return (double)((mixed ^ mixed >> 31) >> 11) / (double)(UINT64_C(1) << 53);
}

double program_between(struct program *program, double low, double high)
{
    return low + (high - low) * program_chance(program);
}

struct event {
    double time_s;
    size_t block;
    bool is_death;
};

static int compare_events(const void *left, const void *right)
{
    const struct event *a = left;
    const struct event *b = right;
    return a->time_s < b->time_s ? -1 : a->time_s > b->time_s;
}

static size_t list_events(const struct program *program, struct event *events)
{
    size_t count = 0;
    for (size_t i = 0; i < program->count; i++) {
        const struct program_block *block = &program->blocks[i];
        events[count++] = (struct event){block->birth_s, i, false};
        if (block->death_s < program->run_s) {
            events[count++] = (struct event){block->death_s, i, true};
        }
    }
    qsort(events, count, sizeof *events, compare_events);
    return count;
}

static void tell(const struct program *program, const struct event *event, struct leak_book *book,
                 struct life_table *lines)
{
    const struct program_block *block = &program->blocks[event->block];
    struct leak_span span = {block->birth_s, block->birth_s};
    struct life_table *line = &lines[block->line];
    if (event->is_death) {
        leak_died(book, line, span, event->time_s, block->bytes);
    } else {
        leak_born(book, line, span, block->bytes);
    }
    leak_footprint(book, event->time_s, book->whole.live);
}

void program_judge(const struct shape *shape, uint64_t seed,
                   struct leak_verdict verdicts[PROGRAM_LINES])
{
    static const double runs_s[] = {10, 14, 20, 33, 60};
    static const double means[] = {16384, 65536, 262144};
    struct program program = {.random = seed * 0x2545f4914f6cdd1du + 1};
    program.run_s = runs_s[(size_t)program_between(&program, 0, 5)];
    program.mean = means[(size_t)program_between(&program, 0, 3)];
    shape->fill(&program);
    struct event *events = mem_alloc((2 * program.count + 1) * sizeof *events);
    size_t count = list_events(&program, events);
    struct leak_book book;
    struct life_table lines[PROGRAM_LINES] = {0};
    leak_open(&book, 0);
    for (size_t i = 0; i < count; i++) {
        tell(&program, &events[i], &book, lines);
    }
    for (unsigned i = 0; i < PROGRAM_LINES; i++) {
        verdicts[i] = leak_verdict(&book, &lines[i], program.run_s);
    }
    free(events);
    free(program.blocks);
}
