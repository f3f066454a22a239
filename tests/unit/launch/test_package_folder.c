// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>

#include "launch/folder.h"
#include "launch/package_folder.h"
#include "unit.h"

#define AGENT "libscalene-agent.so"

// Where the package is found that lies in `place`, from a library in `library`; NULL: it is not.
static void assert_found(const char *library, const char *place, const char *found)
{
    struct folder folder;
    folder_open(&folder);
    char module[128];
    snprintf(module, sizeof module, "%s/_agent.py", place);
    folder_write(&folder, module, 0644, "");
    char agent[128];
    snprintf(agent, sizeof agent, "%s/" AGENT, library);
    char *package = package_folder_find(folder_write(&folder, agent, 0755, ""));
    if (found) {
        assert_non_null(package);
        assert_string_equal(package, folder_path(&folder, found));
    } else {
        assert_null(package);
    }
    free(package);
    folder_close(&folder);
}

static void the_package_is_found_wherever_an_installer_puts_it(void **state)
{
    (void)state;
    assert_found("build", "python/scalene", "python");
    assert_found("lib/scalene", "lib/scalene/python/scalene", "lib/scalene/python");
    assert_found("lib/scalene", "lib/python3.12/site-packages/scalene",
                 "lib/python3.12/site-packages");
    assert_found("lib/scalene", "lib/python3/dist-packages/scalene", "lib/python3/dist-packages");
    assert_found("a [b] {c}/lib/scalene", "a [b] {c}/lib/python3.8/site-packages/scalene",
                 "a [b] {c}/lib/python3.8/site-packages");
}

static void what_pip_puts_into_a_folder_of_its_own_is_found(void **state)
{
    (void)state;
    struct folder folder;
    folder_open(&folder);
    folder_write(&folder, "target/scalene/_agent.py", 0644, "");
    char *package =
        package_folder_find(folder_write(&folder, "target/lib/scalene/" AGENT, 0755, ""));
    assert_non_null(package);
    assert_string_equal(package, folder_path(&folder, "target"));
    free(package);
    folder_close(&folder);
}

static void a_package_that_lies_elsewhere_is_not_ours(void **state)
{
    (void)state;
    assert_found("lib/scalene", "python/scalene", NULL);
    assert_found("lib/scalene", "lib/other3.12/site-packages/scalene", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_package_is_found_wherever_an_installer_puts_it),
        cmocka_unit_test(what_pip_puts_into_a_folder_of_its_own_is_found),
        cmocka_unit_test(a_package_that_lies_elsewhere_is_not_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
