// SPDX-License-Identifier: Apache-2.0
#include "wire/control.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct control *control_open(const char *run_dir)
{
    static const char name[] = "/" CONTROL_FILE;
    char path[4096];
    size_t len = strlen(run_dir);
    if (len + sizeof name > sizeof path) {
        return NULL;
    }
    memcpy(path, run_dir, len);
    memcpy(path + len, name, sizeof name);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return NULL;
    }
    void *map = MAP_FAILED;
    // Not fstat, which an old libc does not export.
    if (lseek(fd, 0, SEEK_END) >= (off_t)CONTROL_SIZE) {
        map = mmap(NULL, CONTROL_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    close(fd);
    if (map == MAP_FAILED) {
        return NULL;
    }
    struct control *control = map;
    if (control->magic != CONTROL_MAGIC || control->version != CONTROL_VERSION) {
        control_close(control);
        return NULL;
    }
    return control;
}

void control_close(struct control *control)
{
    if (control) {
        munmap(control, CONTROL_SIZE);
    }
}
