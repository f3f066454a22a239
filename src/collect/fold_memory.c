// SPDX-License-Identifier: Apache-2.0
#include "collect/fold_memory.h"

#include <math.h>

#include "collect/fold_leak.h"
#include "collect/fold_stack.h"

#define BYTES_LIMIT    (1ull << 47) // of an address space
#define SMALL_SIZE_MAX 512u         // up to it each 16 bytes are a class, as in the agent
#define CLASS_SHIFT    4u
#define LARGE_CLASS    63u
#define STREAM_MAX     100000u
#define RECENT_NS      UINT64_C(10000000000)

static bool frames_fit(size_t fixed, uint16_t frame_count, size_t copied, size_t len)
{
    return frame_count <= RECORD_FRAME_MAX &&
           fixed + frame_count * sizeof(struct record_frame) + copied <= len;
}

static bool is_size(uint64_t bytes)
{
    return bytes > 0 && bytes <= BYTES_LIMIT;
}

static bool allocation_is_sane(struct fold *fold, const struct record_allocation *made, size_t len)
{
    if (len < sizeof *made || made->block == 0 || !is_size(made->size) || !is_size(made->weight) ||
        !is_size(made->mean) || made->added > BYTES_LIMIT || made->stack_len > RECORD_STACK_MAX) {
        return false;
    }
    size_t copied =
        made->stack_len ? RECORD_REGISTER_COUNT * sizeof(uint64_t) + made->stack_len : 0;
    return frames_fit(sizeof *made, made->frame_count, copied, len) &&
           fold_is_time(fold, made->time_ns);
}

// The main thread has no frames while the interpreter starts and ends.
static uint32_t find_site(struct fold *fold, struct process *process, int tid,
                          const struct record_frame *frames, size_t count)
{
    struct tally_place place;
    if (count == 0) {
        return tid == process->pid ? MEMORY_ELSEWHERE : MEMORY_NATIVE;
    }
    return fold_find_place(fold, process, frames, count, &place)
               ? memory_tally_site(fold->memory, &place)
               : MEMORY_ELSEWHERE;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// A stream that is rarely used may still be in a stretch that began when these were longer.
static uint64_t recent_mean(struct process *process, const struct record_allocation *made)
{
    if (made->time_ns - process->means_since_ns > RECENT_NS) {
        process->means[1] = process->means[0];
        process->means[0] = 0;
        process->means_since_ns = made->time_ns;
    }
    process->means[0] = larger(process->means[0], made->mean);
    return larger(process->means[0], process->means[1]);
}

// Each thread has points of its own in each class of sizes. Tells where the one before hit, and how
// far the two may lie apart: the stretch of the one before may reach up to here. A block that is
// taken for certain turns the stream only where it was chance before: blocks like it may have
// passed unseen since.
static void turn_stream(struct process *process, const struct record_allocation *made,
                        uint32_t site, struct memory_volume *volume)
{
    uint64_t class = made->size <= SMALL_SIZE_MAX ? made->size >> CLASS_SHIFT : LARGE_CLASS;
    uint64_t stream = map_key((uint64_t)made->tid, class);
    uint64_t last = map_get(&process->streams, stream);
    uint64_t last_mean = last >> 32;
    bool is_chosen = made->size < made->mean || made->flags & ALLOCATION_BY_CHANCE;
    volume->last_site = last != 0 ? (uint32_t)last - 1 : MEMORY_NO_SITE;
    volume->distance = is_chosen                ? larger(made->mean, last_mean)
                       : made->size < last_mean ? last_mean
                                                : 0;
    volume->edge = recent_mean(process, made);
    volume->class = (unsigned)class;
    if (volume->distance == 0) {
        return;
    }
    if (process->streams.count >= STREAM_MAX) {
        map_clear(&process->streams);
    }
    uint64_t mean = made->mean < UINT32_MAX ? made->mean : UINT32_MAX;
    map_put(&process->streams, stream, mean << 32 | ((uint64_t)site + 1));
}

// The frames of the chain that are the program's. The innermost is the agent's, which took the
// copy.
static size_t without_agent(struct unwind_frame *chain, size_t count)
{
    const struct image *agent = count > 0 ? chain[0].image : NULL;
    size_t kept = 0;
    for (size_t i = 0; agent && i < count; i++) {
        if (chain[i].image != agent) {
            chain[kept++] = chain[i];
        }
    }
    return agent ? kept : count;
}

static size_t number_native(struct fold *fold, struct process *process,
                            const struct record_allocation *made, uint32_t *numbers, double now_s)
{
    struct unwind_frame chain[FOLD_CHAIN_MAX];
    struct fold_stack_copy copy = {.registers = (const void *)(made + 1),
                                   .stack_len = made->stack_len};
    size_t count = fold_unwind(fold, process, &copy, chain, now_s);
    return fold_number_chain(fold->memory_stacks, chain, without_agent(chain, count), numbers);
}

// Native stacks are copied now and then only: what is allocated in between belongs to the last.
static void add_stack(struct fold *fold, struct process *process,
                      const struct record_allocation *made, uint32_t site, double now_s)
{
    uint32_t numbers[FOLD_FRAMES_MAX];
    struct stack_table *stacks = fold->memory_stacks;
    struct stack_sample stack = {.frames = numbers, .weight = made->added};
    if (made->frame_count > 0) {
        stack.python_count = fold_number_frames(stacks, process, (const void *)(made + 1),
                                                made->frame_count, numbers);
        stack.frame_count = stack.python_count;
    } else if (made->stack_len > 0) {
        stack.frame_count = number_native(fold, process, made, numbers, now_s);
    }
    if (stack.frame_count > 0) {
        uint64_t key = stack_table_add(stacks, &stack);
        process->native_stack = site == MEMORY_NATIVE ? key : process->native_stack;
    } else if (site == MEMORY_NATIVE) {
        stack_table_add_weight(stacks, process->native_stack, made->added);
    }
}

// Whoever has grown a block holds it from now on; where no point hit the growth, whoever held it
// before.
static void take_over(struct fold *fold, struct process *process, struct block *known,
                      struct block *block, double now_s)
{
    fold_leak_grown(fold, process, known, block);
    memory_tally_release(fold->memory, &process->level, known, now_s, MEMORY_MOVED);
    block_table_remove(&process->blocks, known);
    memory_tally_hold(fold->memory, &process->level, block, now_s);
    block_table_add(&process->blocks, block);
}

bool fold_allocation(struct fold *fold, struct process *process, const void *record, size_t len)
{
    const struct record_allocation *made = record;
    if (!allocation_is_sane(fold, made, len)) {
        return false;
    }
    struct block *known = block_table_find(&process->blocks, made->block);
    if (known && !(made->flags & ALLOCATION_IS_GROWTH)) {
        return false;
    }
    double now_s = fold_seconds(fold, made->time_ns);
    bool keeps_site = known && made->flags & ALLOCATION_KEEPS_STACK;
    uint32_t site = keeps_site ? known->site
                               : find_site(fold, process, made->tid, (const void *)(made + 1),
                                           made->frame_count);
    struct memory_volume volume = {
        .size = made->size, .added = made->added, .is_python = made->flags & ALLOCATION_IS_PYTHON};
    turn_stream(process, made, site, &volume);
    struct block block = {
        .number = made->block,
        .size = made->size,
        .weight = made->weight,
        .birth_s = keeps_site ? known->birth_s : now_s,
        .span = {now_s, now_s},
        .site = site,
        .is_python = volume.is_python,
    };
    memory_tally_allocate(fold->memory, site, &volume);
    if (known) {
        take_over(fold, process, known, &block, now_s);
    } else {
        memory_tally_hold(fold->memory, &process->level, &block, now_s);
        if (block_table_add(&process->blocks, &block)) {
            fold_leak_made(fold, process, &block);
        } else {
            memory_tally_release(fold->memory, &process->level, &block, now_s, MEMORY_LOST);
        }
    }
    if (fold->has_stacks && made->added > 0) {
        add_stack(fold, process, made, site, now_s);
    }
    fold->allocation_count++;
    return true;
}

static enum memory_release release_of(const struct process *process, const struct block *block,
                                      uint32_t flags)
{
    if (flags & BLOCK_IS_LOST) {
        return MEMORY_LOST;
    }
    // What the interpreter's end itself allocates was not held before it.
    bool was_held = block->birth_s <= process->finalising_s;
    return flags & BLOCK_AT_END && was_held ? MEMORY_ENDED : MEMORY_FREED;
}

// A block that is not known was allocated by a parent process, or its record found no room.
bool fold_block(struct fold *fold, struct process *process, const void *record, size_t len)
{
    const struct record_block *change = record;
    if (len < sizeof *change || change->block == 0 || change->weight > BYTES_LIMIT ||
        !fold_is_time(fold, change->time_ns)) {
        return false;
    }
    double now_s = fold_seconds(fold, change->time_ns);
    if (change->flags & BLOCK_AT_END && process->finalising_s == INFINITY) {
        process->finalising_s = now_s;
    }
    struct block *block = block_table_find(&process->blocks, change->block);
    bool is_over = change->weight == 0 || change->flags & (BLOCK_IS_FREED | BLOCK_IS_LOST);
    if (block && change->flags & BLOCK_IS_FREED) {
        fold_leak_freed(fold, process, block, now_s);
    } else if (block) {
        fold_leak_reweighed(fold, process, block, is_over ? 0 : change->weight, now_s);
    }
    if (block && is_over) {
        memory_tally_release(fold->memory, &process->level, block, now_s,
                             release_of(process, block, change->flags));
        block_table_remove(&process->blocks, block);
    } else if (block) {
        memory_tally_reweigh(fold->memory, &process->level, block, change->weight, now_s);
        block->weight = change->weight;
    }
    return true;
}

static bool is_level(int64_t bytes)
{
    return bytes >= -(int64_t)BYTES_LIMIT && bytes <= (int64_t)BYTES_LIMIT;
}

// A forked child that frees what its parent allocated goes below nothing: the parent has it still.
static double level_of(int64_t bytes)
{
    return bytes > 0 ? (double)bytes : 0;
}

bool fold_footprint(struct fold *fold, struct process *process, const void *record, size_t len)
{
    const struct record_footprint *told = record;
    if (len < sizeof *told || !is_level(told->bytes) || !is_level(told->peak_bytes) ||
        !is_level(told->file_bytes) || !is_level(told->shared_bytes) ||
        !fold_is_time(fold, told->time_ns)) {
        return false;
    }
    struct memory_level level = {
        .bytes = level_of(told->bytes),
        .peak_bytes = fmax(level_of(told->peak_bytes), process->level.peak_bytes),
        .file_bytes = level_of(told->file_bytes),
        .shared_bytes = level_of(told->shared_bytes),
    };
    double now_s = fold_seconds(fold, told->time_ns);
    memory_tally_footprint(fold->memory, &process->level, &level, now_s);
    fold_leak_footprint(fold, process, level.bytes, now_s);
    return true;
}

bool fold_copy(struct fold *fold, struct process *process, const void *record, size_t len)
{
    const struct record_copy *copy = record;
    if (len < sizeof *copy || !is_size(copy->bytes) ||
        !frames_fit(sizeof *copy, copy->frame_count, 0, len) ||
        !fold_is_time(fold, copy->time_ns)) {
        return false;
    }
    uint32_t site =
        find_site(fold, process, copy->tid, (const void *)(copy + 1), copy->frame_count);
    memory_tally_copy(fold->memory, site, copy->bytes);
    return true;
}

void fold_memory_end(struct fold *fold, struct process *process, double time_s)
{
    fold_leak_end(fold, process, time_s);
    for (size_t i = 0; i < process->blocks.capacity; i++) {
        const struct block *block = &process->blocks.slots[i];
        if (block->number != 0) {
            bool was_held = block->birth_s <= process->finalising_s;
            memory_tally_release(fold->memory, &process->level, block, time_s,
                                 was_held ? MEMORY_ENDED : MEMORY_FREED);
        }
    }
    block_table_clear(&process->blocks);
    struct memory_level nothing = {.peak_bytes = process->level.peak_bytes};
    memory_tally_footprint(fold->memory, &process->level, &nothing, time_s);
}
