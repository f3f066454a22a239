// SPDX-License-Identifier: Apache-2.0
// A would-be interpreter of any content: it is accepted or refused with a sentence, and read within
// its bounds.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "launch/executable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32];
    int fd = memfd_create("python", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        abort();
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct error err = {0};
    if (!executable_check(path, &err) && !err.text[0]) {
        abort();
    }
    close(fd);
    return 0;
}
