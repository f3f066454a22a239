// SPDX-License-Identifier: Apache-2.0
// A trace of any content is added or refused with a sentence, and no operator has less than no
// time.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "profile/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct error err = {0};
    int fd = memfd_create("trace", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        abort();
    }
    struct profile *profile = profile_new();
    profile_file(profile, "/x/train.py");
    if (!trace_add(profile, path, &err) && !err.text[0]) {
        abort();
    }
    for (size_t i = 0; i < profile->operators.count; i++) {
        if (!profile->operators.list[i].name || !(profile->operators.list[i].seconds >= 0)) {
            abort();
        }
    }
    profile_free(profile);
    close(fd);
    return 0;
}
