// SPDX-License-Identifier: Apache-2.0
#include "suggest/versions.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "suggest/imports.h"

#define ENTRIES_MAX  20000 // of one folder
#define VERSION_SIZE 40

// Packages whose name for pip is another than the one that is imported.
static const char *const other_names[][2] = {
    {"PIL", "pillow"},           {"bs4", "beautifulsoup4"},
    {"cv2", "opencv_python"},    {"dateutil", "python_dateutil"},
    {"skimage", "scikit_image"}, {"sklearn", "scikit_learn"},
    {"yaml", "pyyaml"},
};

static const char *distribution_of(const char *package)
{
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++) {
        if (strcmp(package, other_names[i][0]) == 0) {
            return other_names[i][1];
        }
    }
    return package;
}

// As pip compares names: case and the kind of dash do not count.
static char plain(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return (char)(c - 'A' + 'a');
    }
    return c == '-' || c == '.' ? '_' : c;
}

static bool is_same_name(const char *one, const char *other, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (plain(one[i]) != plain(other[i])) {
            return false;
        }
    }
    return true;
}

// "numpy-1.26.4.dist-info": the package's index, and where its version stands.
static bool read_entry(const char *entry, const struct names *packages, size_t *index,
                       const char **version, size_t *len)
{
    static const char suffix[] = ".dist-info";
    size_t entry_len = strlen(entry);
    const char *dash = strchr(entry, '-');
    if (!dash || entry_len < sizeof suffix ||
        strcmp(entry + entry_len - (sizeof suffix - 1), suffix) != 0) {
        return false;
    }
    *version = dash + 1;
    *len = (size_t)(entry + entry_len - (sizeof suffix - 1) - *version);
    for (size_t i = 0; i < packages->count; i++) {
        const char *name = distribution_of(packages->texts[i]);
        if (strlen(name) == (size_t)(dash - entry) &&
            is_same_name(name, entry, (size_t)(dash - entry))) {
            *index = i;
            return *len > 0 && *len < VERSION_SIZE;
        }
    }
    return false;
}

struct search {
    struct names packages;
    char versions[IMPORTS_MAX][VERSION_SIZE]; // of each package; empty: not found
};

static void look_into(struct search *search, const char *folder)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    for (int i = 0; entries && i < ENTRIES_MAX && (entry = readdir(entries)); i++) {
        size_t index;
        size_t len;
        const char *version;
        if (read_entry(entry->d_name, &search->packages, &index, &version, &len) &&
            !search->versions[index][0]) {
            memcpy(search->versions[index], version, len);
        }
    }
    if (entries) {
        closedir(entries);
    }
}

// The folders of an environment whose interpreter has this path.
static void look_beside(struct search *search, const char *executable, const char *minor)
{
    static const char *const kinds[] = {"site-packages", "dist-packages"};
    const char *slash = strrchr(executable, '/');
    for (size_t i = 0; slash && i < sizeof kinds / sizeof *kinds; i++) {
        struct text folder = {0};
        text_format(&folder, "%.*s/../lib/python%s/%s", (int)(slash - executable), executable,
                    minor, kinds[i]);
        look_into(search, folder.data);
        text_clear(&folder);
    }
}

void versions_add(struct text *out, const struct source *source, const char *python_executable,
                  const char *python_version)
{
    struct search search = {0};
    char minor[16] = "";
    unsigned major_number;
    unsigned minor_number;
    if (!python_executable || !python_version ||
        sscanf(python_version, "%u.%u", &major_number, &minor_number) != 2 || major_number > 9 ||
        minor_number > 999) {
        return;
    }
    snprintf(minor, sizeof minor, "%u.%u", major_number, minor_number);
    imports_packages(&search.packages, source);
    look_beside(&search, python_executable, minor);
    char *real = realpath(python_executable, NULL); // an environment may use its parent's packages
    if (real) {
        look_beside(&search, real, minor);
    }
    if (real && strncmp(real, "/usr/bin/", 9) == 0) {
        look_beside(&search, real, "3"); // Debian's packages serve all of its Pythons
    }
    bool is_first = true;
    for (size_t i = 0; i < search.packages.count; i++) {
        if (search.versions[i][0]) {
            text_format(out, "%s%s %s", is_first ? "" : ", ", search.packages.texts[i],
                        search.versions[i]);
            is_first = false;
        }
    }
    free(real);
    names_clear(&search.packages);
}
