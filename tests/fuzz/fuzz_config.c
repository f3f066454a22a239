// SPDX-License-Identifier: Apache-2.0
// A configuration file of any content: it is read or refused with a sentence, and nothing is lost.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/config.h"
#include "cli/settings.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32];
    int fd = memfd_create("config", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        abort();
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct settings settings = {0};
    struct text notices = {0};
    struct error err = {0};
    struct config config = {
        .path = path, .table = &settings_options, .settings = &settings, .notices = &notices};
    if (!config_load(&config, &err) && !err.text[0]) {
        abort();
    }
    text_clear(&notices);
    settings_clear(&settings);
    close(fd);
    return 0;
}
