// SPDX-License-Identifier: Apache-2.0
#include "collect/remote_memory.h"

#include <errno.h>
#include <sys/uio.h>

bool remote_memory_read(struct remote_memory *memory, uint64_t address, void *to, size_t len)
{
    struct iovec local = {to, len};
    struct iovec remote = {(void *)(uintptr_t)address, len};
    ssize_t count = process_vm_readv(memory->pid, &local, 1, &remote, 1, 0);
    if (count < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS)) {
        memory->is_refused = true;
    }
    return count == (ssize_t)len;
}

uint64_t remote_memory_word(struct remote_memory *memory, uint64_t address)
{
    uint64_t word = 0;
    return remote_memory_read(memory, address, &word, sizeof word) ? word : 0;
}
