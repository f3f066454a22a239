// SPDX-License-Identifier: Apache-2.0
// The "other process" is this one: a made-up interpreter whose objects lie in the test's memory.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/remote_code.h"
#include "unit.h"

#define FRAME_COUNT 400

struct object {
    uint64_t count;
    uint64_t type;
};

struct text {
    struct object head;
    uint64_t length;
    uint64_t hash;
    uint32_t state;
    uint32_t padding;
    char data[32];
};

struct bytes {
    struct object head;
    uint64_t size;
    char data[16];
};

struct code_object {
    struct object head;
    uint64_t filename;
    uint64_t qualname;
    uint64_t line_table;
    int32_t first_line;
    int32_t flags;
    uint8_t instructions[64];
};

struct frame_object {
    uint64_t code;
    uint64_t previous;
    uint64_t instruction;
    uint8_t owner;
    uint8_t padding[7];
};

struct thread_state {
    uint64_t frame;
    uint64_t thread_id;
};

#define AT(type, member) ((int)offsetof(struct type, member))

static const struct layout known_layout = {
    .minor = 13,
    .state_frame = AT(thread_state, frame),
    .state_cframe = -1,
    .state_thread_id = AT(thread_state, thread_id),
    .cframe_frame = -1,
    .cframe_previous = -1,
    .frame_previous = AT(frame_object, previous),
    .frame_code = AT(frame_object, code),
    .frame_instruction = AT(frame_object, instruction),
    .frame_owner = AT(frame_object, owner),
    .instruction_kind = INSTRUCTION_POINTER,
    .code_filename = AT(code_object, filename),
    .code_name = AT(code_object, qualname),
    .code_qualname = AT(code_object, qualname),
    .code_first_line = AT(code_object, first_line),
    .code_line_table = AT(code_object, line_table),
    .code_flags = AT(code_object, flags),
    .code_instructions = AT(code_object, instructions),
    .code_bytes = -1,
    .object_type = AT(object, type),
    .bytes_size = AT(bytes, size),
    .bytes_data = AT(bytes, data),
    .text_length = AT(text, length),
    .text_state = AT(text, state),
    .text_ascii_size = AT(text, data),
    .text_compact_size = AT(text, data) + 16,
};

static uint64_t code_type;
static struct text filename = {.length = 9, .state = 1 << 2 | 1 << 5 | 1 << 6, .data = "/x/mod.py"};
static struct text qualname = {.length = 3, .state = 1 << 2 | 1 << 5 | 1 << 6, .data = "A.f"};
static struct bytes line_table = {.size = 4, .data = {1, 2, 3, 4}};
static struct code_object code;
static struct frame_object chain[FRAME_COUNT];
static struct thread_state thread;
static struct remote_interpreter interpreter;
static struct remote_memory memory;
static struct remote_frame found[RECORD_FRAME_MAX];

static uint64_t address_of(const void *thing)
{
    return (uint64_t)(uintptr_t)thing;
}

static int start(void **state)
{
    (void)state;
    memory = (struct remote_memory){.pid = getpid()};
    interpreter = (struct remote_interpreter){
        .is_known = true, .layout = known_layout, .code_type = address_of(&code_type)};
    code = (struct code_object){
        .head.type = address_of(&code_type),
        .filename = address_of(&filename),
        .qualname = address_of(&qualname),
        .line_table = address_of(&line_table),
        .first_line = 12,
        .flags = 3,
    };
    for (size_t i = 0; i < FRAME_COUNT; i++) {
        chain[i] = (struct frame_object){
            .code = address_of(&code),
            .previous = i + 1 < FRAME_COUNT ? address_of(&chain[i + 1]) : 0,
            .instruction = address_of(&code.instructions[i % 32 * 2]),
        };
    }
    thread = (struct thread_state){.frame = address_of(&chain[FRAME_COUNT - 3]), .thread_id = 77};
    return 0;
}

static size_t walk(uint64_t thread_id)
{
    return remote_stack_walk(&memory, &interpreter, address_of(&thread), thread_id, found);
}

static void a_stack_is_read_from_the_innermost_frame_out(void **state)
{
    (void)state;
    assert_true(remote_stack_accepts(&interpreter.layout));
    assert_int_equal(walk(77), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(found[i].code, address_of(&code));
        assert_int_equal(found[i].offset, (FRAME_COUNT - 3 + i) % 32 * 2);
    }
}

static void a_state_of_another_thread_has_no_frames(void **state)
{
    (void)state;
    assert_int_equal(walk(78), 0);
    assert_int_equal(walk(0), 3);
}

static void an_interpreter_that_is_not_known_has_no_frames(void **state)
{
    (void)state;
    interpreter.is_known = false;
    assert_int_equal(walk(77), 0);
}

static void frames_that_are_no_calls_are_stepped_over(void **state)
{
    (void)state;
    chain[FRAME_COUNT - 2].owner = LAYOUT_OWNER_NOT_A_CALL;
    chain[FRAME_COUNT - 2].code = 0;
    assert_int_equal(walk(77), 2);
}

static void tags_in_a_code_pointer_are_masked(void **state)
{
    (void)state;
    chain[FRAME_COUNT - 3].code |= 1;
    assert_int_equal(walk(77), 3);
    assert_int_equal(found[0].code, address_of(&code));
}

static void a_circle_and_an_endless_stack_come_to_an_end(void **state)
{
    (void)state;
    thread.frame = address_of(&chain[0]);
    assert_int_equal(walk(77), RECORD_FRAME_MAX);
    chain[1].previous = address_of(&chain[0]);
    assert_int_equal(walk(77), RECORD_FRAME_MAX);
    chain[0].owner = chain[1].owner = LAYOUT_OWNER_NOT_A_CALL;
    assert_int_equal(walk(77), 0);
}

static void what_cannot_be_read_ends_the_stack(void **state)
{
    (void)state;
    void *nothing = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    chain[FRAME_COUNT - 2].previous = address_of(nothing);
    assert_int_equal(walk(77), 2);
    assert_false(memory.is_refused);
    munmap(nothing, 4096);
}

static void before_3_12_something_else_than_code_ends_the_stack(void **state)
{
    (void)state;
    interpreter.layout.minor = 10;
    interpreter.layout.instruction_kind = INSTRUCTION_UNITS;
    for (size_t i = 0; i < FRAME_COUNT; i++) {
        chain[i].instruction = i;
    }
    assert_int_equal(walk(77), 3);
    assert_int_equal(found[0].offset, 2 * (FRAME_COUNT - 3));
    chain[FRAME_COUNT - 2].code = address_of(&filename);
    assert_int_equal(walk(77), 1);
}

static void a_layout_that_reaches_too_far_is_not_accepted(void **state)
{
    (void)state;
    struct layout layout = known_layout;
    layout.frame_previous = 1 << 20;
    assert_false(remote_stack_accepts(&layout));
    layout = known_layout;
    layout.frame_owner = -1;
    assert_false(remote_stack_accepts(&layout));
    layout = known_layout;
    layout.state_frame = -1; // and no cframe
    assert_false(remote_stack_accepts(&layout));
}

static void a_code_object_becomes_the_record_of_it(void **state)
{
    (void)state;
    struct record_code *record;
    size_t len;
    assert_true(remote_code_read(&memory, &interpreter, address_of(&code), &record, &len));
    assert_int_equal(len, sizeof *record + 9 + 3 + 4);
    assert_int_equal(record->address, address_of(&code));
    assert_int_equal(record->first_line, 12);
    assert_int_equal(record->flags, 3);
    assert_int_equal(record->filename_width, 1);
    assert_true(record->name_is_qualified);
    assert_memory_equal(record + 1, "/x/mod.pyA.f\1\2\3\4", 16);
    free(record);
}

static void a_code_object_without_text_is_refused(void **state)
{
    (void)state;
    struct record_code *record;
    size_t len;
    code.filename = 8;
    assert_false(remote_code_read(&memory, &interpreter, address_of(&code), &record, &len));
    code.filename = address_of(&line_table); // its state says no compact text
    assert_false(remote_code_read(&memory, &interpreter, address_of(&code), &record, &len));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_stack_is_read_from_the_innermost_frame_out, start),
        cmocka_unit_test_setup(a_state_of_another_thread_has_no_frames, start),
        cmocka_unit_test_setup(an_interpreter_that_is_not_known_has_no_frames, start),
        cmocka_unit_test_setup(frames_that_are_no_calls_are_stepped_over, start),
        cmocka_unit_test_setup(tags_in_a_code_pointer_are_masked, start),
        cmocka_unit_test_setup(a_circle_and_an_endless_stack_come_to_an_end, start),
        cmocka_unit_test_setup(what_cannot_be_read_ends_the_stack, start),
        cmocka_unit_test_setup(before_3_12_something_else_than_code_ends_the_stack, start),
        cmocka_unit_test_setup(a_layout_that_reaches_too_far_is_not_accepted, start),
        cmocka_unit_test_setup(a_code_object_becomes_the_record_of_it, start),
        cmocka_unit_test_setup(a_code_object_without_text_is_refused, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
