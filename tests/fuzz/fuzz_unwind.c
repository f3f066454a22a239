// SPDX-License-Identifier: Apache-2.0
// Seventeen registers, then the stack. So that random bytes meet real call-frame information, words
// that end in 0xfe, and the instruction pointer, are turned into addresses of this process's code.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/unwind.h"
#include "fuzz.h"

#define STACK_MAX 4096
#define FRAME_MAX 64

static struct unwinder unwinder;
static struct address_space space;

static uint64_t code_address(uint64_t word)
{
    const struct address_region *region = &space.regions[(word >> 8) % space.count];
    return region->start + (word >> 16) % (region->end - region->start);
}

static void check(const struct unwind_frame *frames, size_t count, uint64_t stack_pointer)
{
    uint64_t inner = stack_pointer;
    if (count < 1 || count > FRAME_MAX) {
        abort();
    }
    for (size_t i = 0; i + 1 < count; i++) {
        if (frames[i].cfa <= inner) {
            abort(); // every frame but the last must lie above the one it called
        }
        inner = frames[i].cfa;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t registers[RECORD_REGISTER_COUNT] = {0};
    uint64_t stack[STACK_MAX / 8] = {0};
    if (!space.images) {
        space.images = image_cache_new();
        address_space_read_maps(&space, getpid());
    }
    size_t head = size < sizeof registers ? size : sizeof registers;
    size_t len = size - head < sizeof stack ? size - head : sizeof stack;
    memcpy(registers, data, head);
    memcpy(stack, data + head, len);
    for (size_t i = 0; i < len / 8; i++) {
        stack[i] = (stack[i] & 0xff) == 0xfe ? code_address(stack[i]) : stack[i];
    }
    registers[16] = registers[16] & 1 ? code_address(registers[16]) : registers[16];
    registers[7] = registers[6] & 1 ? 0x7ffc00000000 : registers[7];
    registers[6] = registers[6] & 2 ? registers[7] + (registers[6] >> 52) : registers[6];
    struct unwind_input input = {.registers = registers,
                                 .stack = (const uint8_t *)stack,
                                 .stack_len = len,
                                 .until = registers[0],
                                 .space = &space};
    struct unwind_frame frames[FRAME_MAX];
    check(frames, unwind(&unwinder, &input, frames, FRAME_MAX), registers[7]);
    return 0;
}
