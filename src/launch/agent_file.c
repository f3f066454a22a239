// SPDX-License-Identifier: Apache-2.0
#include "launch/agent_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/path.h"

#define AGENT_NAME "libscalene-agent.so"

static char *find_near(const char *directory)
{
    static const char *const places[] = {AGENT_NAME, "../lib/scalene/" AGENT_NAME,
                                         "../agent/" AGENT_NAME};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *joined = path_join(directory, places[i]);
        char *path = path_absolute(joined);
        free(joined);
        if (access(path, R_OK) == 0) {
            return path;
        }
        free(path);
    }
    return NULL;
}

bool agent_file_find(char **path, struct error *err)
{
    char self[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    if (len < 0) {
        return error_set(err, "cannot find " AGENT_NAME ": /proc/self/exe: %s", strerror(errno));
    }
    self[len] = '\0';
    char *directory = path_parent(self);
    *path = find_near(directory);
    if (!*path) {
        error_set(err,
                  AGENT_NAME " is neither beside %s nor in ../lib/scalene; install scalene "
                             "again",
                  self);
    }
    free(directory);
    return *path != NULL;
}
