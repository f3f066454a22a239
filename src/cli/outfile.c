// SPDX-License-Identifier: Apache-2.0
#include "cli/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "launch/path.h"

static char *with_json_ending(const char *asked)
{
    const char *name = path_name(asked);
    const char *dot = strrchr(name, '.');
    size_t len = dot && dot > name ? (size_t)(dot - asked) : strlen(asked);
    struct text path = {0};
    text_add_bytes(&path, asked, len);
    text_add(&path, ".json");
    return path.data;
}

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

// Tried, not asked: what the permissions say is not all there is to it.
static bool check_writable(const char *path, struct error *err)
{
    struct text attempt = {0};
    text_format(&attempt, "%s.%d.tmp", path, (int)getpid());
    int fd = open(attempt.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int problem = fd < 0 ? errno : 0;
    if (fd >= 0) {
        if (access(path, F_OK) == 0 && access(path, W_OK) != 0) {
            problem = errno; // it could be replaced, but somebody protected it
        }
        close(fd);
        unlink(attempt.data);
    }
    text_clear(&attempt);
    return problem == 0 ? true
                        : error_set(err,
                                    "cannot write the profile to %s: %s; choose another place with "
                                    "-o FILE",
                                    path, strerror(problem));
}

bool outfile_choose(char **path, const char *asked, struct error *err)
{
    size_t len = asked ? strlen(asked) : 0;
    if (asked && (len == 0 || asked[len - 1] == '/' || is_directory(asked))) {
        return error_set(err, "outfile '%s' is a directory; give the name of a file to -o", asked);
    }
    *path = asked ? with_json_ending(asked) : mem_copy_text(OUTFILE_DEFAULT);
    if (is_directory(*path)) {
        error_set(err, "outfile %s is a directory; give the name of a file to -o", *path);
    } else if (check_writable(*path, err)) {
        return true;
    }
    free(*path);
    *path = NULL;
    return false;
}
