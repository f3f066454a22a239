// SPDX-License-Identifier: Apache-2.0
#include "agent/thread_directory.h"

#include "agent/syscall.h"

struct directory_entry {
    uint64_t inode;
    int64_t next;
    uint16_t len;
    uint8_t type;
    char name[];
};

static int parse_tid(const char *name)
{
    int tid = 0;
    for (; *name >= '0' && *name <= '9'; name++) {
        tid = tid * 10 + (*name - '0');
    }
    return tid;
}

void thread_directory_visit(void (*visit)(int tid, void *context), void *context)
{
    _Alignas(8) char buf[512];
    int fd = raw_openat(AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    long len;
    while (fd >= 0 && (len = raw_getdents64(fd, buf, sizeof buf)) > 0) {
        for (long at = 0; at < len;) {
            const struct directory_entry *entry = (const struct directory_entry *)(buf + at);
            int tid = parse_tid(entry->name);
            if (tid != 0) {
                visit(tid, context);
            }
            at += entry->len;
        }
    }
    if (fd >= 0) {
        raw_close(fd);
    }
}
