// SPDX-License-Identifier: Apache-2.0
#include "launch/package_folder.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/path.h"
#include "wire/control.h"

// A package of that name that is the original's, or somebody else's, does not have it.
#define OUR_MODULE "scalene/_agent.py"

static bool has_package(const char *folder)
{
    char *module = path_join(folder, OUR_MODULE);
    bool is_there = access(module, R_OK) == 0;
    free(module);
    return is_there;
}

// Of several, the first that has it; NULL.
static char *choose(const char *directory, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *joined = path_join(directory, names[i]);
        char *folder = path_absolute(joined);
        free(joined);
        if (has_package(folder)) {
            return folder;
        }
        free(folder);
    }
    return NULL;
}

// Below PREFIX/lib, of whichever Python the wheel was installed for.
static char *search_installed(const char *library)
{
    static const char *const names[] = {"site-packages", "dist-packages"};
    DIR *stream = opendir(library);
    char *folder = NULL;
    for (struct dirent *entry; !folder && stream && (entry = readdir(stream));) {
        if (strncmp(entry->d_name, "python3", strlen("python3")) == 0) {
            char *python = path_join(library, entry->d_name);
            folder = choose(python, names, sizeof names / sizeof *names);
            free(python);
        }
    }
    if (stream) {
        closedir(stream);
    }
    return folder;
}

char *package_folder_find(const char *agent)
{
    // A build folder in the source tree; `make install`; `pip install --target`.
    static const char *const near[] = {"../python", "python", "../.."};
    char *directory = path_parent(agent);
    char *folder = choose(directory, near, sizeof near / sizeof *near);
    if (!folder) {
        char *library = path_parent(directory);
        folder = search_installed(library);
        free(library);
    }
    free(directory);
    return folder;
}

void package_folder_tell(const struct run_dir *dir, const char *agent)
{
    char *folder = package_folder_find(agent);
    char link[PATH_MAX];
    if (folder) {
        run_dir_link(dir, CONTROL_PACKAGE, folder, link);
    }
    free(folder);
}
