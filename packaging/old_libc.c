// SPDX-License-Identifier: Apache-2.0

// Lets a command that was linked here run with older C libraries (glibc 2.28). For the functions of
// OLD_SYMBOLS, which got a new version since, calls go to the version that every glibc for x86-64
// has; the linker's --wrap brings them here. What 2.28 does not have at all is defined.
// meson.build has the list; a function that is missing there shows in the wheel's tag.

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define X(name)                                             \
    __asm__(".symver old_" #name "," #name "@GLIBC_2.2.5\n" \
            ".globl __wrap_" #name "\n"                     \
            ".hidden __wrap_" #name "\n"                    \
            ".type __wrap_" #name ", @function\n"           \
            "__wrap_" #name ": jmp *old_" #name "@GOTPCREL(%rip)\n");

OLD_SYMBOLS

#undef X

typedef void (*initializer)(int, char **, char **);

extern const initializer __init_array_start[];
extern const initializer __init_array_end[];

// Before 2.34 it was the program's own task to run its constructors.
__attribute__((used)) static void initialize(int count, char **arguments, char **environment)
{
    ptrdiff_t initializer_count = __init_array_end - __init_array_start;
    for (ptrdiff_t i = 0; i < initializer_count; i++) {
        __init_array_start[i](count, arguments, environment);
    }
}

// The fourth argument is the function that does it.
__asm__(".symver old_start,__libc_start_main@GLIBC_2.2.5\n"
        ".globl __wrap___libc_start_main\n"
        ".hidden __wrap___libc_start_main\n"
        ".type __wrap___libc_start_main, @function\n"
        "__wrap___libc_start_main:\n"
        "lea initialize(%rip), %rcx\n"
        "jmp *old_start@GOTPCREL(%rip)\n");

// The kernel's struct stat is the C library's on x86-64.
#define STAT_FUNCTIONS(suffix)                                                            \
    int stat##suffix(const char *path, struct stat##suffix *status)                       \
    {                                                                                     \
        return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, 0);                   \
    }                                                                                     \
    int lstat##suffix(const char *path, struct stat##suffix *status)                      \
    {                                                                                     \
        return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW); \
    }                                                                                     \
    int fstat##suffix(int fd, struct stat##suffix *status)                                \
    {                                                                                     \
        return (int)syscall(SYS_fstat, fd, status);                                       \
    }                                                                                     \
    int fstatat##suffix(int fd, const char *path, struct stat##suffix *status, int flags) \
    {                                                                                     \
        return (int)syscall(SYS_newfstatat, fd, path, status, flags);                     \
    }

STAT_FUNCTIONS()
STAT_FUNCTIONS(64)

// By number, from 1 on, as Linux has them on x86-64.
const char *sigabbrev_np(int number)
{
    static const char *const names[] = {
        "HUP",  "INT",  "QUIT", "ILL",    "TRAP",   "ABRT",  "BUS",  "FPE",  "KILL", "USR1", "SEGV",
        "USR2", "PIPE", "ALRM", "TERM",   "STKFLT", "CHLD",  "CONT", "STOP", "TSTP", "TTIN", "TTOU",
        "URG",  "XCPU", "XFSZ", "VTALRM", "PROF",   "WINCH", "POLL", "PWR",  "SYS",
    };
    int count = sizeof names / sizeof *names;
    return number > 0 && number <= count ? names[number - 1] : NULL;
}
