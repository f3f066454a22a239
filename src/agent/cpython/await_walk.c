// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/await_walk.h"

#include <string.h>

#include "agent/cpython/code_age.h"
#include "agent/cpython/codes.h"
#include "agent/cpython/interpreter.h"
#include "agent/cpython/library_name.h"
#include "agent/hot.h"
#include "agent/session.h"

#define STACK_REFERENCE (~(uintptr_t)3) // 3.14 on: the low bits of a value on the stack are marks
#define YIELD_FROM      72              // up to 3.10: an await is this instruction
#define RESUME_AWAITS   2               // 3.11, 3.12: the next instruction says what was yielded to
#define INNER           16              // where a wrapper has what it wraps
#define TYPE_NAME       24
#define TYPE_BASIC_SIZE 32
#define TYPE_FLAGS      168
#define FLAG_HEAP       (1u << 9)
#define TYPE_MEMBERS    240
#define COROUTINE_RUNS  24  // 3.8, 3.9
#define FRAME_STATE     108 // 3.10
#define KNOWN_TYPES     16u

enum top_kind {
    TOP_POINTER, // the frame has the address behind the topmost value
    TOP_COUNT,   // it has the number of values, and they lie in it
    TOP_INDEXED, // it has the number, and where they lie
};

// A field that a version does not have is -1.
struct coroutine_layout {
    int16_t minor;
    int16_t frame;    // in the coroutine: a pointer up to 3.10, then the frame itself
    int16_t state;    // in the coroutine, a byte
    int8_t created;   // values of the state
    int8_t suspended; // the first of those that mean suspended, and ...
    int8_t awaiting;  // ... the first of those that mean suspended in an await
    int8_t last;
    uint8_t top;       // enum top_kind
    int16_t stack_top; // in the frame: pointer or number
    int16_t values;    // in the frame: where they begin
    int16_t depth;     // of the awaited object below the top
};

static const struct coroutine_layout layouts[] = {
    {8, 16, -1, 0, 0, 0, 0, TOP_POINTER, 72, -1, 1},
    {9, 16, -1, 0, 0, 0, 0, TOP_POINTER, 72, -1, 1},
    {10, 16, -1, 0, 0, 0, 0, TOP_INDEXED, 80, 64, 1},
    {11, 80, 75, -2, -1, -1, -1, TOP_COUNT, 64, 72, 1},
    {12, 72, 67, -2, -1, -1, -1, TOP_COUNT, 64, 72, 1},
    {13, 72, 67, -3, -2, -1, -1, TOP_COUNT, 64, 72, 1},
    {14, 72, 67, -3, -2, -1, -1, TOP_POINTER, 64, -1, 1},
    {15, 72, 67, 0, 1, 2, 3, TOP_POINTER, 64, -1, 2},
};

// All that a step asks for, in one cache line.
static struct {
    struct coroutine_layout layout;
    int16_t object_type;
    int16_t frame_code;
    int16_t frame_instruction;
    bool is_address; // what a frame has of its instruction
    uintptr_t coroutine;
    uintptr_t generator;
    uintptr_t async_generator;
} known __attribute__((aligned(64)));

// What can be awaited and leads on: a type's objects have the next one at an offset.
static struct known_type {
    uintptr_t type;
    int inner;       // 0: it ends the chain
    bool is_wrapper; // the interpreter's own: it has the next one also when that has ended
} known_types[KNOWN_TYPES];

static unsigned next_known;

bool await_walk_learn(void)
{
    const struct layout *python = &interpreter.layout;
    bool is_known = false;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        if (layouts[i].minor == python->minor) {
            known.layout = layouts[i];
            is_known = true;
        }
    }
    known.object_type = (int16_t)python->object_type;
    known.frame_code = (int16_t)python->frame_code;
    known.frame_instruction = (int16_t)python->frame_instruction;
    known.is_address = python->instruction_kind == INSTRUCTION_POINTER;
    known.coroutine = (uintptr_t)interpreter_symbol("PyCoro_Type");
    known.generator = (uintptr_t)interpreter_symbol("PyGen_Type");
    known.async_generator = (uintptr_t)interpreter_symbol("PyAsyncGen_Type");
    return is_known && interpreter.can_walk && known.coroutine && known.generator;
}

static uintptr_t word_at(uintptr_t address)
{
    return *(const uintptr_t *)address;
}

static uintptr_t frame_of(uintptr_t coroutine)
{
    uintptr_t frame = coroutine + (uintptr_t)known.layout.frame;
    return known.layout.minor <= 10 ? word_at(frame) : frame;
}

static uintptr_t code_of(uintptr_t frame)
{
    return word_at(frame + (uintptr_t)known.frame_code) & STACK_REFERENCE;
}

static int last_instruction(uintptr_t frame)
{
    return probe_seen_int(frame + (uintptr_t)known.frame_instruction);
}

// Up to 3.9 the coroutine says so, in 3.10 its frame does.
static bool is_running(uintptr_t coroutine, uintptr_t frame)
{
    return known.layout.minor <= 9 ? *(const char *)(coroutine + COROUTINE_RUNS) != 0
                                   : *(const int8_t *)(frame + FRAME_STATE) >= 0;
}

static uintptr_t type_of(uintptr_t object)
{
    return word_at(object + (uintptr_t)known.object_type);
}

HOT static enum coroutine_state frame_state(uintptr_t coroutine)
{
    if (known.layout.minor <= 10) {
        uintptr_t frame = frame_of(coroutine);
        if (frame == 0 || is_running(coroutine, frame)) {
            return COROUTINE_OTHER;
        }
        return last_instruction(frame) < 0 ? COROUTINE_CREATED : COROUTINE_SUSPENDED;
    }
    int8_t state = *(const int8_t *)(coroutine + (uintptr_t)known.layout.state);
    if (state == known.layout.created) {
        return COROUTINE_CREATED;
    }
    bool is_suspended = state >= known.layout.suspended && state <= known.layout.last;
    return is_suspended ? COROUTINE_SUSPENDED : COROUTINE_OTHER;
}

bool await_walk_runs(uintptr_t coroutine)
{
    if (type_of(coroutine) != known.coroutine) {
        return false;
    }
    if (known.layout.minor <= 10) {
        uintptr_t frame = frame_of(coroutine);
        return frame != 0 && is_running(coroutine, frame);
    }
    int state = *(const int8_t *)(coroutine + (uintptr_t)known.layout.state);
    return state == known.layout.last + 1;
}

// Whether a suspended frame waits for something that it awaits, and has not just yielded.
static bool is_awaiting(uintptr_t coroutine, uintptr_t frame, uintptr_t code)
{
    if (known.layout.minor <= 10) {
        int at = last_instruction(frame);
        at = interpreter.layout.instruction_kind == INSTRUCTION_UNITS ? 2 * (at + 1) : at + 2;
        uintptr_t bytes = word_at(code + (uintptr_t)interpreter.layout.code_bytes);
        uintptr_t size = word_at(bytes + (uintptr_t)interpreter.layout.bytes_size);
        return at > 0 && (uintptr_t)at < size &&
               probe_seen_byte(bytes + (uintptr_t)interpreter.layout.bytes_data + (uintptr_t)at) ==
                   YIELD_FROM;
    }
    if (known.layout.minor <= 12) {
        uintptr_t at = word_at(frame + (uintptr_t)known.frame_instruction);
        return (probe_seen_byte(at + 3) & 3) >= RESUME_AWAITS;
    }
    return *(const int8_t *)(coroutine + (uintptr_t)known.layout.state) >= known.layout.awaiting;
}

static uintptr_t awaited_by(uintptr_t frame)
{
    uintptr_t depth = (uintptr_t)known.layout.depth * sizeof(uintptr_t);
    uintptr_t top = frame + (uintptr_t)known.layout.stack_top;
    if (known.layout.top == TOP_POINTER) {
        return word_at(word_at(top) - depth) & STACK_REFERENCE;
    }
    int count = probe_seen_int(top);
    uintptr_t values = frame + (uintptr_t)known.layout.values;
    values = known.layout.top == TOP_INDEXED ? word_at(values) : values;
    return count > 0 ? word_at(values + (uintptr_t)count * sizeof(uintptr_t) - depth) : 0;
}

// A coroutine of Cython's tells by a member of its type where it has what it awaits.
static int cython_inner(uintptr_t type, const char *name)
{
    if (strncmp(name, "_cython", 7) != 0) {
        return 0;
    }
    if (word_at(type + TYPE_BASIC_SIZE) == INNER + sizeof(uintptr_t)) {
        return INNER;
    }
    // PyMemberDef: name, type, offset, flags, doc
    for (uintptr_t member = word_at(type + TYPE_MEMBERS); member && word_at(member);
         member += 5 * sizeof(uintptr_t)) {
        if (strcmp((const char *)word_at(member), "cr_await") == 0) {
            return (int)word_at(member + 2 * sizeof(uintptr_t));
        }
    }
    return 0;
}

static COLD const struct known_type *learn_type(uintptr_t type)
{
    static const char *const wrappers[] = {"coroutine_wrapper", "async_generator_asend",
                                           "async_generator_athrow", "anext_awaitable"};
    const char *name = (const char *)word_at(type + TYPE_NAME);
    bool is_wrapper = false;
    bool is_class = word_at(type + TYPE_FLAGS) & FLAG_HEAP; // the program's own may have any name
    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers && !is_class; i++) {
        is_wrapper = is_wrapper || strcmp(name, wrappers[i]) == 0;
    }
    struct known_type *place = &known_types[next_known++ % KNOWN_TYPES];
    *place = (struct known_type){type, is_wrapper ? INNER : cython_inner(type, name), is_wrapper};
    return place;
}

static bool has_frame(uintptr_t type)
{
    return type == known.coroutine || type == known.generator || type == known.async_generator;
}

static const struct known_type *look_up(uintptr_t type)
{
    for (unsigned i = 0; i < KNOWN_TYPES; i++) {
        if (known_types[i].type == type) {
            return &known_types[i];
        }
    }
    return learn_type(type);
}

// The coroutine or generator behind what is awaited; 0: something else, or nothing.
HOT static uintptr_t lead_on(uintptr_t object)
{
    for (int steps = 0; object != 0 && steps < 4; steps++) {
        uintptr_t type = type_of(object);
        if (has_frame(type)) {
            return object;
        }
        int inner = look_up(type)->inner;
        object = inner ? word_at(object + (uintptr_t)inner) : 0;
    }
    return 0;
}

// An asynchronous generator that has yielded waits for nothing.
static enum coroutine_state generator_state(uintptr_t generator)
{
    enum coroutine_state state = frame_state(generator);
    uintptr_t frame = state == COROUTINE_SUSPENDED ? frame_of(generator) : 0;
    return frame && !is_awaiting(generator, frame, code_of(frame)) ? COROUTINE_CREATED : state;
}

// A wrapper has what it wraps also when that has ended. A compiled coroutine that awaits nothing
// may be new, or have ended.
static COLD enum coroutine_state foreign_state(uintptr_t coroutine)
{
    const struct known_type *type = look_up(type_of(coroutine));
    if (type->inner == 0) {
        return COROUTINE_OTHER;
    }
    if (!type->is_wrapper) {
        bool has_awaited = word_at(coroutine + (uintptr_t)type->inner) != 0;
        return has_awaited ? COROUTINE_SUSPENDED : COROUTINE_CREATED;
    }
    uintptr_t wrapped = lead_on(coroutine);
    if (wrapped == 0) {
        return COROUTINE_OTHER;
    }
    bool is_generator = type_of(wrapped) == known.async_generator;
    return is_generator ? generator_state(wrapped) : frame_state(wrapped);
}

HOT enum coroutine_state await_walk_state(uintptr_t coroutine)
{
    uintptr_t type = type_of(coroutine);
    if (__builtin_expect(type == known.coroutine, 1) || type == known.generator) {
        return frame_state(coroutine);
    }
    return type == known.async_generator ? generator_state(coroutine) : foreign_state(coroutine);
}

static uint64_t mix(uint64_t key, uint64_t more)
{
    key = (key ^ more) * 0x9e3779b97f4a7c15u;
    return key ^ key >> 32;
}

HOT void await_walk(struct await_walk *walk, uintptr_t coroutine)
{
    uint64_t key = 1;
    walk->count = 0;
    coroutine = lead_on(coroutine);
    while (coroutine != 0 && walk->count < AWAIT_DEPTH_MAX) {
        if (frame_state(coroutine) != COROUTINE_SUSPENDED) {
            break;
        }
        uintptr_t frame = frame_of(coroutine);
        uintptr_t code = code_of(frame);
        uintptr_t at = frame + (uintptr_t)known.frame_instruction;
        uintptr_t instruction = known.is_address ? word_at(at) : (uintptr_t)probe_seen_int(at);
        walk->steps[walk->count++] = (struct await_step){coroutine, code, instruction};
        key = mix(key, code ^ instruction << 20 ^ code_age(code) << 48);
        coroutine = is_awaiting(coroutine, frame, code) ? lead_on(awaited_by(frame)) : 0;
    }
    walk->key = key | 1;
}

static struct record_frame frame_at(const struct await_step *step, struct ring *ring,
                                    struct probe *probe)
{
    struct record_frame frame = {0};
    if (!codes_is_code(probe, step->code)) {
        return frame;
    }
    frame.code_id = codes_id(ring, probe, step->code);
    const struct layout *python = &interpreter.layout;
    if (python->instruction_kind == INSTRUCTION_POINTER) {
        frame.offset =
            (int32_t)(step->instruction - (step->code + (uintptr_t)python->code_instructions));
    } else {
        int32_t index = (int32_t)step->instruction;
        frame.offset = python->instruction_kind == INSTRUCTION_UNITS ? 2 * index : index;
    }
    return frame;
}

unsigned await_walk_frames(const struct await_walk *walk,
                           struct record_frame frames[AWAIT_DEPTH_MAX], unsigned *own)
{
    struct ring *ring = session_ring();
    struct probe probe = {.is_at_rest = true};
    bool has_own = false;
    *own = 0;
    for (unsigned i = 0; i < walk->count && ring; i++) {
        const struct await_step *step = &walk->steps[walk->count - 1 - i];
        frames[i] = frame_at(step, ring, &probe);
        if (!has_own && frames[i].code_id != 0 && !library_name_of_code(&probe, step->code)) {
            has_own = true;
            *own = i;
        }
    }
    return ring ? walk->count : 0;
}

static COLD uint32_t add_chain(struct await_table *table, const struct await_walk *walk)
{
    struct record_frame frames[AWAIT_DEPTH_MAX];
    unsigned own;
    unsigned count = await_walk_frames(walk, frames, &own);
    if (count < walk->count) {
        return 0;
    }
    for (unsigned i = 0; i < walk->count; i++) {
        code_age_keep(walk->steps[i].code);
    }
    return await_sums_add(table, walk->key, frames, count, own);
}

HOT uint32_t await_walk_chain(struct await_table *table, const struct await_walk *walk)
{
    uint32_t chain = await_sums_find(table, walk->key);
    return chain ? chain : add_chain(table, walk);
}

// One that has ended has it still, though its frame may be gone.
static uintptr_t own_code(uintptr_t coroutine)
{
    static const int places[] = {[8] = 32, [9] = 32, [10] = 24, [11] = 16};
    int minor = known.layout.minor;
    return minor < 12 ? word_at(coroutine + (uintptr_t)places[minor])
                      : code_of(frame_of(coroutine));
}

uint32_t await_walk_code_id(uintptr_t coroutine)
{
    struct ring *ring = session_ring();
    struct probe probe = {.is_at_rest = true};
    uintptr_t code = has_frame(type_of(coroutine)) ? own_code(coroutine) : 0;
    return ring && codes_is_code(&probe, code) ? codes_id(ring, &probe, code) : 0;
}
