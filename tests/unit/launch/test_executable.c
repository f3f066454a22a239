// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/executable.h"
#include "launch/folder.h"
#include "unit.h"

static void assert_refused(const char *path, const char *why)
{
    struct error err = {0};
    assert_false(executable_check(path, &err));
    if (!strstr(err.text, why)) {
        fail_msg("'%s' is not in '%s'", why, err.text);
    }
}

static void assert_accepted(const char *path)
{
    struct error err = {0};
    if (!executable_check(path, &err)) {
        fail_msg("%s", err.text);
    }
}

static const char *write_bytes(const struct folder *folder, const char *name, const void *bytes,
                               size_t len)
{
    const char *path = folder_write(folder, name, 0755, "");
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    fclose(file);
    return path;
}

static void a_python_is_accepted(void **state)
{
    (void)state;
    assert_accepted("/usr/bin/python3");
}

static void another_program_is_not_a_cpython(void **state)
{
    (void)state;
    assert_refused("/bin/ls", "not a CPython");
}

static void a_wrapper_named_like_a_python_may_be_one(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    assert_int_equal(symlink("/bin/ls", folder_path(&folder, "python3")), 0);
    assert_accepted(folder_path(&folder, "python3"));
    folder_close(&folder);
}

static void a_script_may_start_the_real_one(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    assert_accepted(folder_write(&folder, "shim", 0755, "#!/usr/bin/env bash\nexec python3\n"));
    assert_refused(folder_write(&folder, "note", 0755, "hello\n"), "neither a program nor");
    assert_refused(folder_write(&folder, "empty", 0755, ""), "empty");
    assert_refused(folder_path(&folder, "missing"), "No such file");
    folder_close(&folder);
}

static void a_static_program_loads_nothing(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                         .e_type = ET_EXEC,
                         .e_machine = EM_X86_64};
    FILE *self = fopen("/proc/self/exe", "re");
    Elf64_Ehdr own;
    assert_int_equal(fread(&own, sizeof own, 1, self), 1);
    fclose(self);
    header.e_machine = own.e_machine;
    assert_refused(write_bytes(&folder, "python-static", &header, sizeof header),
                   "statically linked");
    header.e_machine = own.e_machine == EM_ARM ? EM_386 : EM_ARM;
    assert_refused(write_bytes(&folder, "python-arm", &header, sizeof header),
                   "another kind of machine");
    header.e_machine = own.e_machine;
    header.e_ident[EI_CLASS] = ELFCLASS32;
    assert_refused(write_bytes(&folder, "python-32", &header, sizeof header),
                   "another kind of machine");
    assert_refused(write_bytes(&folder, "python-cut", &header, 20), "another kind of machine");
    folder_close(&folder);
}

static void a_program_with_other_rights_loads_nothing(void **state)
{
    (void)state;
    if (getuid() != 0) {
        skip(); // only root can make such a file
    }
    struct folder folder;
    folder_open(&folder);
    const char *path = folder_write(&folder, "python3", 0755, "#!/bin/sh\n");
    assert_int_equal(chown(path, 65534, 65534), 0);
    assert_int_equal(chmod(path, 04755), 0);
    assert_refused(path, "other rights than yours");
    assert_int_equal(chmod(path, 02755), 0);
    assert_refused(path, "other rights than yours");
    assert_int_equal(chmod(path, 0755), 0);
    assert_accepted(path);
    folder_close(&folder);
}

// Every header field of a real program is damaged in turn: whatever the answer, there is one.
static void a_damaged_program_is_read_within_its_bounds(void **state)
{
    (void)state;
    static unsigned char bytes[1 << 16];
    struct folder folder;
    folder_open(&folder);
    FILE *file = fopen("/bin/ls", "re");
    assert_non_null(file);
    size_t len = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t at = 4; at < sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr); at++) {
        unsigned char kept = bytes[at];
        bytes[at] = 0xff;
        struct error err = {0};
        bool is_fine = executable_check(write_bytes(&folder, "python3", bytes, len), &err);
        assert_true(is_fine || err.text[0]);
        bytes[at] = kept;
    }
    folder_close(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_python_is_accepted),
        cmocka_unit_test(another_program_is_not_a_cpython),
        cmocka_unit_test(a_wrapper_named_like_a_python_may_be_one),
        cmocka_unit_test(a_script_may_start_the_real_one),
        cmocka_unit_test(a_static_program_loads_nothing),
        cmocka_unit_test(a_program_with_other_rights_loads_nothing),
        cmocka_unit_test(a_damaged_program_is_read_within_its_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
