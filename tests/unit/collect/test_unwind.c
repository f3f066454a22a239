// SPDX-License-Identifier: Apache-2.0

// The processor's trap flag stops this program after every instruction of a piece of work; the
// handler copies registers and stack as the agent does, and asks the C library's own unwinder what
// it thinks. Afterwards the copies are unwound and must say the same, at every instruction: in
// prologues, epilogues, import stubs, the loader, the vdso, a callback called by the C library, a
// signal handler.

#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "collect/unwind.h"
#include "unit.h"

#define STEP_MAX   10000
#define STACK_MAX  (16 * 1024) // the loader keeps the vector registers there: 11 KB with AMX
#define CHAIN_MAX  48
#define TRAP_FLAG  0x100
#define HOT_REPEAT 20

struct step {
    uint64_t registers[RECORD_REGISTER_COUNT];
    uint8_t stack[STACK_MAX];
    size_t stack_len;
    void *chain[CHAIN_MAX]; // of the C library's unwinder, from the handler outwards
    int chain_len;
};

extern void *__libc_stack_end; // NOLINT: the loader's name for it

static struct step *steps;
static size_t step_count;
static uint64_t work_frame;
static volatile unsigned sink;

// DWARF's numbers for the kernel's order of registers.
static const int context_order[RECORD_REGISTER_COUNT] = {
    REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
    REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

__attribute__((no_sanitize("address"))) static void copy_stack(struct step *step)
{
    const volatile uint8_t *from = (const uint8_t *)step->registers[7]; // NOLINT
    size_t room = (size_t)((const uint8_t *)__libc_stack_end - from);
    step->stack_len = room < STACK_MAX ? room : STACK_MAX;
    for (size_t i = 0; i < step->stack_len; i++) {
        step->stack[i] = from[i];
    }
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    ucontext_t *interrupted = context;
    if (step_count == STEP_MAX) {
        interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
        return;
    }
    struct step *step = &steps[step_count++];
    for (int i = 0; i < RECORD_REGISTER_COUNT; i++) {
        step->registers[i] = (uint64_t)interrupted->uc_mcontext.gregs[context_order[i]];
    }
    copy_stack(step);
    step->chain_len = backtrace(step->chain, CHAIN_MAX);
}

static inline __attribute__((always_inline)) void trap_on(void)
{
    __asm__ volatile(
        "sub $128, %%rsp; pushfq; orq %0, (%%rsp); popfq; add $128, %%rsp" ::"i"(TRAP_FLAG)
        : "memory", "cc");
}

static inline __attribute__((always_inline)) void trap_off(void)
{
    __asm__ volatile(
        "sub $128, %%rsp; pushfq; andq %0, (%%rsp); popfq; add $128, %%rsp" ::"i"(~TRAP_FLAG)
        : "memory", "cc");
}

static __attribute__((noinline)) int compare(const void *left, const void *right)
{
    sink++;
    return *(const int *)left - *(const int *)right;
}

static __attribute__((noinline)) void sort_some(void)
{
    int numbers[] = {5, 3, 9, 1};
    qsort(numbers, 4, sizeof *numbers, compare);
    sink += (unsigned)numbers[0];
}

// A frame of unknown size, aligned to more than the stack is: its CFA is an expression.
static __attribute__((noinline)) void use_aligned(size_t size)
{
    _Alignas(64) volatile char line[64];
    volatile char *block = __builtin_alloca(size);
    block[0] = line[1] = (char)size;
    sort_some();
    sink += (unsigned)block[0] + (unsigned)line[1];
}

static __attribute__((noinline)) void format_some(int depth)
{
    char text[64];
    if (depth > 0) {
        format_some(depth - 1);
        sink++;
        return;
    }
    snprintf(text, sizeof text, "%d %s", depth, "words");
    sink += (unsigned)strtol(text, NULL, 10);
}

static __attribute__((noinline)) void read_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    sink += (unsigned)now.tv_nsec;
}

// The kernel turns the trap off for a handler, and on again after it. A block of unknown size gives
// the function a frame pointer, so that switching the trap, which moves the stack, does no harm.
static void on_user_signal(int signal)
{
    volatile char *block = __builtin_alloca((size_t)signal);
    block[0] = 1;
    trap_on();
    sink += (unsigned)block[0];
    sort_some();
    trap_off();
}

static __attribute__((noinline)) void work(void)
{
    work_frame = (uint64_t)__builtin_frame_address(0);
    trap_on();
    read_clock();
    use_aligned(100);
    format_some(3);
    raise(SIGUSR1);
    trap_off();
}

static int record_steps(void **state)
{
    (void)state;
    size_t size = STEP_MAX * sizeof *steps;
    steps = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
    void *warm_up[4];
    backtrace(warm_up, 4); // loads what it needs now, not under the trap
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    struct sigaction user_action = {.sa_handler = on_user_signal};
    if (steps == MAP_FAILED || sigaction(SIGTRAP, &action, NULL) != 0 ||
        sigaction(SIGUSR1, &user_action, NULL) != 0) {
        return -1;
    }
    work();
    return 0;
}

// The part of the C library's chain that starts at the interrupted instruction.
static void **outer_chain(struct step *step, size_t *len)
{
    for (int i = 0; i < step->chain_len; i++) {
        if ((uint64_t)step->chain[i] == step->registers[16]) {
            *len = (size_t)(step->chain_len - i);
            return step->chain + i;
        }
    }
    *len = 0;
    return step->chain;
}

static size_t unwind_step(struct unwinder *unwinder, struct address_space *space,
                          const struct step *step, uint64_t until, struct unwind_frame *frames)
{
    struct unwind_input input = {.registers = step->registers,
                                 .stack = step->stack,
                                 .stack_len = step->stack_len,
                                 .until = until,
                                 .space = space};
    return unwind(unwinder, &input, frames, CHAIN_MAX);
}

// The compiler's own information is wrong in one epilogue, where the C library's unwinder gives up
// early; so its chain may be shorter.
static bool is_right(struct step *step, const struct unwind_frame *frames, size_t count)
{
    size_t expected;
    void **chain = outer_chain(step, &expected);
    if (expected < 2 || count < 1 || frames[count - 1].function != (uint64_t)work) {
        return false;
    }
    for (size_t i = 0; i < count && i < expected; i++) {
        if (frames[i].ip != (uint64_t)chain[i]) {
            return false;
        }
    }
    return frames[count - 1].cfa > work_frame;
}

static void report(struct step *step, const struct unwind_frame *frames, size_t count)
{
    size_t expected;
    void **chain = outer_chain(step, &expected);
    for (size_t i = 0; i < count || i < expected; i++) {
        printf("  %#18llx %#18llx %#18llx %s\n",
               i < count ? (unsigned long long)frames[i].cfa : 0ull,
               i < count ? (unsigned long long)frames[i].ip : 0ull,
               i < expected ? (unsigned long long)chain[i] : 0ull,
               i < count && frames[i].image ? image_path(frames[i].image) : "");
    }
}

static void every_instruction_has_the_right_callers(void **state)
{
    (void)state;
    struct unwinder unwinder = {0};
    struct address_space space = {.images = image_cache_new(), .pid = getpid()};
    struct unwind_frame frames[CHAIN_MAX];
    assert_true(address_space_read_maps(&space, getpid()));
    size_t wrong = 0;
    for (size_t i = 0; i < step_count; i++) {
        size_t count = unwind_step(&unwinder, &space, &steps[i], work_frame, frames);
        if (!is_right(&steps[i], frames, count) && wrong++ < 3) {
            printf("step %zu\n", i);
            report(&steps[i], frames, count);
        }
    }
    printf("%zu instructions, %zu wrong\n", step_count, wrong);
    assert_true(step_count > 2000);
    assert_int_equal(wrong, 0);
    unwinder_clear(&unwinder);
    address_space_clear(&space);
    image_cache_free(space.images);
}

static void warm_unwinding_takes_microseconds(void **state)
{
    (void)state;
    struct unwinder unwinder = {0};
    struct address_space space = {.images = image_cache_new(), .pid = getpid()};
    struct unwind_frame frames[CHAIN_MAX];
    assert_true(address_space_read_maps(&space, getpid()));
    size_t total = 0;
    clock_t start = 0;
    for (int round = 0; round <= HOT_REPEAT; round++) {
        start = round == 1 ? clock() : start;
        for (size_t i = 0; i < step_count; i += 7) {
            size_t count = unwind_step(&unwinder, &space, &steps[i], work_frame, frames);
            total += round > 0 ? count : 0;
        }
    }
    double us = (double)(clock() - start) * 1e6 / CLOCKS_PER_SEC;
    double samples = (double)HOT_REPEAT * (double)((step_count + 6) / 7);
    printf("%.2f us a sample of %.1f frames\n", us / samples, (double)total / samples);
    assert_true(us / samples < 20); // with a sanitizer, on a busy machine
    unwinder_clear(&unwinder);
    address_space_clear(&space);
    image_cache_free(space.images);
}

static void the_end_of_the_copy_ends_the_chain(void **state)
{
    (void)state;
    struct unwinder unwinder = {0};
    struct address_space space = {.images = image_cache_new(), .pid = getpid()};
    struct unwind_frame frames[CHAIN_MAX];
    assert_true(address_space_read_maps(&space, getpid()));
    struct step *step = &steps[step_count / 2];
    for (size_t len = 0; len < 512; len++) {
        struct unwind_input input = {
            .registers = step->registers, .stack = step->stack, .stack_len = len, .space = &space};
        size_t count = unwind(&unwinder, &input, frames, CHAIN_MAX);
        assert_true(count >= 1);
        assert_int_equal(frames[0].ip, step->registers[16]);
    }
    unwinder_clear(&unwinder);
    address_space_clear(&space);
    image_cache_free(space.images);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_has_the_right_callers),
        cmocka_unit_test(warm_unwinding_takes_microseconds),
        cmocka_unit_test(the_end_of_the_copy_ends_the_chain),
    };
    return cmocka_run_group_tests(tests, record_steps, NULL);
}
