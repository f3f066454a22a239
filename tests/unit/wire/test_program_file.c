// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"
#include "wire/program_file.h"

struct bytes {
    const void *data;
    size_t len;
};

static long read_bytes(const void *context, void *buf, size_t len, uint64_t offset)
{
    const struct bytes *bytes = context;
    size_t rest = offset < bytes->len ? bytes->len - offset : 0;
    size_t count = len < rest ? len : rest;
    memcpy(buf, (const char *)bytes->data + (count ? offset : 0), count);
    return (long)count;
}

static struct program_file look(const void *data, size_t len)
{
    struct bytes bytes = {data, len};
    return program_file_look(read_bytes, &bytes);
}

static long read_file(const void *context, void *buf, size_t len, uint64_t offset)
{
    return pread(*(const int *)context, buf, len, (off_t)offset);
}

static enum program_kind kind_of(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    struct program_file file = program_file_look(read_file, &fd);
    close(fd);
    return file.kind;
}

struct made {
    Elf64_Ehdr header;
    Elf64_Phdr segments[2];
    char loader[64];
};

static struct made make(const char *loader)
{
    struct made made = {
        .header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                   .e_type = ET_DYN,
                   .e_machine = EM_X86_64,
                   .e_phoff = offsetof(struct made, segments),
                   .e_phnum = 2},
        .segments = {{.p_type = PT_LOAD},
                     {.p_type = PT_INTERP, .p_offset = offsetof(struct made, loader)}},
    };
    strcpy(made.loader, loader);
    made.segments[1].p_filesz = strlen(loader) + 1;
    return made;
}

static enum program_kind kind_with(const char *loader)
{
    struct made made = make(loader);
    return look(&made, sizeof made).kind;
}

static void programs_of_this_machine_load(void **state)
{
    (void)state;
    assert_int_equal(kind_of("/bin/sh"), PROGRAM_LOADS);
    assert_int_equal(kind_of("/proc/self/exe"), PROGRAM_LOADS);
    assert_int_equal(kind_of("/lib64/ld-linux-x86-64.so.2"), PROGRAM_LOADS);
}

static void the_loader_tells_the_library(void **state)
{
    (void)state;
    assert_int_equal(kind_with("/lib64/ld-linux-x86-64.so.2"), PROGRAM_LOADS);
    assert_int_equal(kind_with("/nix/store/x/lib/ld-linux-x86-64.so.2"), PROGRAM_LOADS);
    assert_int_equal(kind_with("/lib/ld-musl-x86_64.so.1"), PROGRAM_OTHER_LIBC);
    assert_int_equal(kind_with("/system/bin/linker64"), PROGRAM_OTHER_LIBC);
}

static void no_loader_is_a_static_program(void **state)
{
    (void)state;
    struct made made = make("");
    made.segments[1].p_type = PT_NOTE;
    assert_int_equal(look(&made, sizeof made).kind, PROGRAM_STATIC);
    made.header.e_phnum = 0;
    assert_int_equal(look(&made, sizeof made).kind, PROGRAM_STATIC);
}

static void another_machine_is_told(void **state)
{
    (void)state;
    struct made made = make("/lib/ld-linux.so.2");
    made.header.e_ident[EI_CLASS] = ELFCLASS32;
    assert_int_equal(look(&made, sizeof made).kind, PROGRAM_OTHER_MACHINE);
    made = make("/lib/ld-linux-aarch64.so.1");
    made.header.e_machine = EM_AARCH64;
    assert_int_equal(look(&made, sizeof made).kind, PROGRAM_OTHER_MACHINE);
    assert_int_equal(look(&made, 20).kind, PROGRAM_OTHER_MACHINE);
}

static void assert_script(const char *text, const char *interpreter)
{
    struct program_file file = look(text, strlen(text));
    assert_int_equal(file.kind, *interpreter ? PROGRAM_SCRIPT : PROGRAM_UNKNOWN);
    assert_string_equal(file.interpreter, interpreter);
}

static void a_first_line_names_the_interpreter(void **state)
{
    (void)state;
    assert_script("#!/bin/sh\necho", "/bin/sh");
    assert_script("#!  /usr/bin/env python3\n", "/usr/bin/env");
    assert_script("#!/bin/sh", "/bin/sh");
    assert_script("#!\n", "");
    assert_script("#!", "");
    assert_script("echo\n", "");
    assert_script("", "");
    char long_line[1000];
    memset(long_line, 'x', sizeof long_line);
    memcpy(long_line, "#!/", 3);
    struct program_file file = look(long_line, sizeof long_line);
    assert_true(strlen(file.interpreter) < sizeof file.interpreter);
}

static void damage_is_read_within_its_bounds(void **state)
{
    (void)state;
    for (size_t at = 4; at < sizeof(struct made); at++) {
        for (size_t len = 1; len < sizeof(struct made); len += 37) {
            struct made made = make("/lib64/ld-linux-x86-64.so.2");
            ((unsigned char *)&made)[at] = 0xff;
            assert_true(look(&made, len).kind <= PROGRAM_UNKNOWN);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_of_this_machine_load),
        cmocka_unit_test(the_loader_tells_the_library),
        cmocka_unit_test(no_loader_is_a_static_program),
        cmocka_unit_test(another_machine_is_told),
        cmocka_unit_test(a_first_line_names_the_interpreter),
        cmocka_unit_test(damage_is_read_within_its_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
