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

bool control_switch(struct control *control, bool is_on, uint64_t now_ns)
{
    if (atomic_exchange(&control->is_on, is_on) == is_on) {
        return false;
    }
    uint64_t since_ns = atomic_exchange(&control->off_since_ns, is_on ? 0 : now_ns);
    if (is_on && since_ns && since_ns < now_ns) {
        atomic_fetch_add(&control->off_ns, now_ns - since_ns);
    }
    return true;
}

uint64_t control_off_ns(const struct control *control, uint64_t now_ns)
{
    uint64_t since_ns = atomic_load(&control->off_since_ns);
    uint64_t now_off_ns = since_ns && since_ns < now_ns ? now_ns - since_ns : 0;
    return atomic_load(&control->off_ns) + now_off_ns;
}
