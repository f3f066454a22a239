// SPDX-License-Identifier: Apache-2.0

// A library that calls a function of the C library in each way there is.

#include <unistd.h>

__attribute__((visibility("default"))) pid_t by_call(void);
__attribute__((visibility("default"))) pid_t by_address(void);
__attribute__((visibility("default"))) pid_t by_table(void);

static pid_t (*volatile const table[])(void) = {getppid};

pid_t by_call(void)
{
    return getppid();
}

pid_t by_address(void)
{
    pid_t (*volatile function)(void) = getppid;
    return function();
}

pid_t by_table(void)
{
    return table[0]();
}
