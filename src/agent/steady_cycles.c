// SPDX-License-Identifier: Apache-2.0
#include "agent/steady_cycles.h"

#include <cpuid.h>
#include <fcntl.h>
#include <string.h>

#include "agent/syscall.h"

#define POWER_LEAF     0x80000007u
#define POWER_IS_EVEN  (1u << 8)
#define KERNEL_CLOCK   "/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define NAME_BYTES_MAX 32

// The kernel watches the counter and takes another clock when it finds it wanting. In a virtual
// machine it has the host's, which says nothing: there the processor's word counts.
bool steady_cycles_by(uint32_t power_flags, const char *kernel_clock)
{
    static const char *const second_best[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies"};
    for (size_t i = 0; i < sizeof second_best / sizeof *second_best; i++) {
        if (strcmp(kernel_clock, second_best[i]) == 0) {
            return false;
        }
    }
    return strcmp(kernel_clock, "tsc") == 0 || (power_flags & POWER_IS_EVEN) != 0;
}

static void read_kernel_clock(char name[NAME_BYTES_MAX])
{
    int fd = raw_openat(AT_FDCWD, KERNEL_CLOCK, O_RDONLY | O_CLOEXEC, 0);
    long len = fd >= 0 ? raw_read(fd, name, NAME_BYTES_MAX - 1) : 0;
    name[len > 0 ? len : 0] = '\0';
    name[strcspn(name, "\n")] = '\0';
    if (fd >= 0) {
        raw_close(fd);
    }
}

bool steady_cycles_are_known(void)
{
    char kernel_clock[NAME_BYTES_MAX];
    unsigned a, b, c, power_flags = 0;
    read_kernel_clock(kernel_clock);
    if (!__get_cpuid(POWER_LEAF, &a, &b, &c, &power_flags)) {
        power_flags = 0;
    }
    return steady_cycles_by(power_flags, kernel_clock);
}
