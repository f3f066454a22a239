// SPDX-License-Identifier: Apache-2.0
#include "agent/descriptor.h"

#include "agent/syscall.h"

enum wait_kind descriptor_kind(int fd)
{
    struct stat status;
    if (raw_fstat(fd, &status) != 0) {
        return WAIT_OTHER;
    }
    switch (status.st_mode & S_IFMT) {
    case S_IFSOCK:
        return WAIT_NETWORK;
    case S_IFREG:
    case S_IFBLK:
    case S_IFDIR:
        return WAIT_DISK;
    default:
        return WAIT_PIPE;
    }
}
