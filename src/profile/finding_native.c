// SPDX-License-Identifier: Apache-2.0
// Native functions that take much of the time, and the Python lines that call them.

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "profile/amount.h"
#include "profile/finding_scene.h"

#define HOT_PART    0.10 // of the CPU time
#define SYMBOLS_MAX 2

struct symbol {
    const struct profile_frame *frame;
    double native_s;
    const struct profile_stack *longest; // of its stacks
};

static const struct profile_frame *leaf_of(const struct profile *profile,
                                           const struct profile_stack *stack)
{
    if (stack->frame_count == 0 || stack->frames[stack->frame_count - 1] >= profile->frame_count) {
        return NULL;
    }
    const struct profile_frame *leaf = &profile->frames[stack->frames[stack->frame_count - 1]];
    return leaf->is_native && leaf->name && leaf->name[0] ? leaf : NULL;
}

// Sums native time by the name of the innermost function.
static struct symbol *symbols_of(const struct profile *profile, size_t *count)
{
    struct symbol *symbols = NULL;
    size_t capacity = 0;
    struct names names = {0};
    *count = 0;
    for (size_t i = 0; i < profile->combined_count; i++) {
        const struct profile_stack *stack = &profile->combined[i];
        const struct profile_frame *leaf = leaf_of(profile, stack);
        if (!leaf || !(stack->native_s > 0)) {
            continue;
        }
        uint32_t index = names_add(&names, leaf->name, strlen(leaf->name));
        if (index == *count) {
            symbols = mem_grow(symbols, *count, &capacity, sizeof *symbols);
            symbols[(*count)++] = (struct symbol){leaf, 0, stack};
        }
        assert(symbols);
        symbols[index].native_s += stack->native_s;
        if (stack->native_s > symbols[index].longest->native_s) {
            symbols[index].longest = stack;
        }
    }
    names_clear(&names);
    return symbols;
}

static int compare_symbols(const void *left, const void *right)
{
    const struct symbol *a = left;
    const struct symbol *b = right;
    if (a->native_s != b->native_s) {
        return a->native_s > b->native_s ? -1 : 1;
    }
    return strcmp(a->frame->name, b->frame->name);
}

// The innermost line of a profiled file on the way to the symbol.
static struct scene_line caller_of(const struct scene *scene, const struct profile_stack *stack)
{
    const struct profile *profile = scene->profile;
    struct scene_line caller = {0};
    for (size_t i = stack->frame_count; i > 0 && !caller.line; i--) {
        if (stack->frames[i - 1] < profile->frame_count) {
            caller = scene_of_frame(scene, &profile->frames[stack->frames[i - 1]]);
        }
    }
    return caller;
}

static void add_symbol(struct scene *scene, const struct symbol *symbol, double error_s)
{
    struct scene_line caller = caller_of(scene, symbol->longest);
    const char *module = symbol->frame->file ? symbol->frame->file : "";
    const char *slash = strrchr(module, '/');
    struct text text = {0};
    text_format(&text, "The native function %s (%s) took %.0f%% ± %.0f of the CPU time",
                symbol->frame->name, slash ? slash + 1 : module,
                100 * symbol->native_s / scene->cpu_s, ceil(100 * error_s / scene->cpu_s));
    if (caller.line) {
        text_add(&text, ", most of it called from ");
        scene_add_place(&text, scene, caller);
    }
    text_add(&text, ".");
    struct finding *finding = finding_add(
        scene, "native-hot-spot", 0.8 * symbol->native_s / scene->cpu_s * scene->cpu_part, &text);
    finding_evidence(finding, "CPU time", symbol->native_s, "s", error_s);
    finding_place(finding, scene, caller);
    finding_advice(finding,
                   "The innermost native function of each sampled stack, unwound by call-frame "
                   "information.",
                   "Call it on less data or less often, or look for a faster way to the same "
                   "result.");
    text_clear(&text);
}

void finding_native(struct scene *scene)
{
    size_t count;
    struct symbol *symbols = symbols_of(scene->profile, &count);
    double n = (double)scene->profile->quality.cpu_samples;
    if (count > 0) {
        qsort(symbols, count, sizeof *symbols, compare_symbols);
    }
    for (size_t i = 0; i < count && i < SYMBOLS_MAX && scene->cpu_s > 0 && n > 0; i++) {
        double part = fmin(1, symbols[i].native_s / scene->cpu_s);
        double error = SCENE_QUANTILE * sqrt(part * (1 - part) / n);
        if (part - error >= HOT_PART) {
            add_symbol(scene, &symbols[i], error * scene->cpu_s);
        }
    }
    free(symbols);
}
