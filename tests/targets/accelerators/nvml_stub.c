// SPDX-License-Identifier: Apache-2.0

// A libnvidia-ml.so.1 for machines without one: the real names and layouts, driven by the file nvml
// in the folder that SCALENE_ACCELERATOR_ROOT names, which is read anew at each call. Its lines:
//
//   devices N            minor DEVICE N        stride BYTES       mig DEVICE
//   status FUNCTION CODE [AFTER CALLS [UNTIL CALLS]]
//   delay FUNCTION MICROSECONDS [AFTER CALLS]
//   process DEVICE PID BYTES SM_PERCENT        curve DEVICE SECONDS PERCENT
//   hidden DEVICE BYTES
//
// A curve's steps are on CLOCK_MONOTONIC; like a real counter it tells the mean since the last
// call.

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEVICE_MAX  8
#define LINE_COUNT  4096
#define SUCCESS     0
#define BAD         2
#define NOT_FOUND   6
#define TOO_SMALL   7
#define BAD_VERSION 25
#define HANG_US     1e7

struct line {
    char word[24];
    char name[64];
    double number[3];
};

static struct line lines[LINE_COUNT];
static size_t line_count;
static char handles[2 * DEVICE_MAX]; // devices, then their one part each
static double asked_s[DEVICE_MAX];

static void read_lines(void)
{
    char path[1024];
    char text[256];
    const char *root = getenv("SCALENE_ACCELERATOR_ROOT");
    snprintf(path, sizeof path, "%s/nvml", root ? root : "");
    FILE *file = fopen(path, "re");
    line_count = 0;
    while (file && line_count < LINE_COUNT && fgets(text, sizeof text, file)) {
        struct line *line = &lines[line_count];
        memset(line, 0, sizeof *line);
        if (sscanf(text, "%23s %63s %lf %lf %lf", line->word, line->name, &line->number[0],
                   &line->number[1], &line->number[2]) >= 2) {
            line_count++;
        }
    }
    if (file) {
        fclose(file);
    }
}

static const struct line *find(const char *word, const char *name)
{
    for (size_t i = 0; i < line_count; i++) {
        if (strcmp(lines[i].word, word) == 0 && (!name || strcmp(lines[i].name, name) == 0)) {
            return &lines[i];
        }
    }
    return NULL;
}

// Programs of the tests wait for readings, and tests count calls: there is a byte for each.
static void note(const char *what)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", getenv("SCALENE_ACCELERATOR_ROOT"), what);
    int fd = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    if (fd >= 0 && write(fd, ".", 1) == 1) {
        close(fd);
    }
}

static void note_reader(void)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/reader", getenv("SCALENE_ACCELERATOR_ROOT"));
    FILE *file = fopen(path, "we");
    if (file) {
        fprintf(file, "%d", getpid());
        fclose(file);
    }
}

static unsigned count_call(const char *function)
{
    static struct {
        char name[64];
        unsigned calls;
    } counts[64];

    size_t i = 0;
    while (i < 63 && counts[i].name[0] && strcmp(counts[i].name, function) != 0) {
        i++;
    }
    snprintf(counts[i].name, sizeof counts[i].name, "%s", function);
    return ++counts[i].calls;
}

static void delay(const struct line *line)
{
    bool hangs = line->number[0] >= HANG_US;
    if (hangs) {
        note_reader();
        note("hanging");
    }
    usleep((useconds_t)line->number[0]);
    if (hangs) {
        note("hung");
    }
}

static int status_of(const char *function)
{
    read_lines();
    note("calls");
    unsigned calls = count_call(function);
    const struct line *late = find("delay", function);
    if (late && calls > (unsigned)late->number[1]) {
        delay(late);
    }
    const struct line *status = find("status", function);
    bool is_broken = status && calls > (unsigned)status->number[1] &&
                     (status->number[2] <= 0 || calls <= (unsigned)status->number[2]);
    if (is_broken) {
        note("broken");
    }
    return is_broken ? (int)status->number[0] : SUCCESS;
}

static int index_of(const void *device)
{
    return (int)((const char *)device - handles) % DEVICE_MAX;
}

static const struct line *of_device(const char *word, int index)
{
    char name[16];
    snprintf(name, sizeof name, "%d", index);
    return find(word, name);
}

#define CHECK(function)               \
    int status = status_of(function); \
    if (status != SUCCESS) {          \
        return status;                \
    }

// The oldest library had the same functions under names without a number, and fewer of them.
#ifdef OLDEST
#define nvmlInit_v2                              nvmlInit
#define nvmlDeviceGetCount_v2                    nvmlDeviceGetCount
#define nvmlDeviceGetHandleByIndex_v2            nvmlDeviceGetHandleByIndex
#define nvmlDeviceGetComputeRunningProcesses_v3  nvmlDeviceGetComputeRunningProcesses
#define nvmlDeviceGetGraphicsRunningProcesses_v3 nvmlDeviceGetGraphicsRunningProcesses
#define nvmlDeviceGetMemoryInfo_v2               not_yet_GetMemoryInfo_v2
#define nvmlDeviceGetProcessesUtilizationInfo    not_yet_GetProcessesUtilizationInfo
#define nvmlDeviceGetMigMode                     not_yet_GetMigMode
#endif

int nvmlInit_v2(void);
int nvmlInitWithFlags(unsigned flags);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **device);
int nvmlDeviceGetName(void *device, char *name, unsigned size);
int nvmlDeviceGetUUID(void *device, char *uuid, unsigned size);
int nvmlDeviceGetMinorNumber(void *device, unsigned *minor);
int nvmlDeviceGetUtilizationRates(void *device, unsigned *rates);
int nvmlDeviceGetMemoryInfo(void *device, uint64_t *memory);
int nvmlDeviceGetMemoryInfo_v2(void *device, void *memory);
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, void *list);
int nvmlDeviceGetGraphicsRunningProcesses_v3(void *device, unsigned *count, void *list);
int nvmlDeviceGetProcessUtilization(void *device, void *list, unsigned *count, uint64_t since);
int nvmlDeviceGetProcessesUtilizationInfo(void *device, void *request);
int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *pending);
int nvmlDeviceGetMaxMigDeviceCount(void *device, unsigned *count);
int nvmlDeviceGetMigDeviceHandleByIndex(void *device, unsigned index, void **part);

int nvmlInit_v2(void)
{
    CHECK("Init")
    return SUCCESS;
}

int nvmlInitWithFlags(unsigned flags) // by which NVIDIA's own client begins
{
    return flags == 0 ? nvmlInit_v2() : BAD;
}

int nvmlShutdown(void)
{
    return SUCCESS;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    CHECK("GetCount")
    const struct line *devices = find("devices", NULL);
    *count = devices ? (unsigned)atoi(devices->name) : 0;
    return SUCCESS;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    CHECK("GetHandleByIndex")
    note("attached");
    *device = &handles[index];
    return SUCCESS;
}

// The device of index N is on bus N + 1.
int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **device)
{
    CHECK("GetHandleByPciBusId")
    unsigned bus;
    if (sscanf(address, "%*x:%x:", &bus) != 1 || bus < 1 || bus > DEVICE_MAX) {
        return NOT_FOUND;
    }
    note("attached");
    *device = &handles[bus - 1];
    return SUCCESS;
}

int nvmlDeviceGetName(void *device, char *name, unsigned size)
{
    snprintf(name, size, "Stub GPU %d", index_of(device));
    return SUCCESS;
}

int nvmlDeviceGetUUID(void *device, char *uuid, unsigned size)
{
    snprintf(uuid, size, "GPU-00000000-0000-0000-0000-00000000000%d", index_of(device));
    return SUCCESS;
}

int nvmlDeviceGetMinorNumber(void *device, unsigned *minor)
{
    CHECK("GetMinorNumber")
    const struct line *line = of_device("minor", index_of(device));
    *minor = line ? (unsigned)line->number[0] : (unsigned)index_of(device);
    return SUCCESS;
}

// The mean of a device's curve between two moments.
static double mean(int index, double begin_s, double end_s)
{
    double sum = 0;
    double level = 0;
    double from_s = begin_s;
    for (size_t i = 0; i < line_count; i++) {
        if (strcmp(lines[i].word, "curve") != 0 || atoi(lines[i].name) != index) {
            continue;
        }
        double at_s = lines[i].number[0];
        if (at_s > from_s) {
            double until_s = at_s < end_s ? at_s : end_s;
            sum += level * (until_s - from_s);
            from_s = until_s;
        }
        if (at_s < end_s) {
            level = lines[i].number[1];
        }
    }
    sum += level * (end_s - from_s);
    return end_s > begin_s ? sum / (end_s - begin_s) : level;
}

int nvmlDeviceGetUtilizationRates(void *device, unsigned *rates)
{
    int status = status_of("GetUtilizationRates");
    if (status != SUCCESS) {
        note("reads");
        return status;
    }
    int index = index_of(device);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double now_s = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
    double since_s = asked_s[index] > 0 ? asked_s[index] : now_s - 0.1;
    rates[0] = (unsigned)(mean(index, since_s, now_s) + 0.5);
    rates[1] = 0;
    asked_s[index] = now_s;
    note("reads");
    return SUCCESS;
}

static uint64_t used_bytes(int index)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < line_count; i++) {
        if (strcmp(lines[i].word, "process") == 0 && atoi(lines[i].name) == index &&
            lines[i].number[1] > 0) {
            sum += (uint64_t)lines[i].number[1];
        }
    }
    const struct line *hidden = of_device("hidden", index); // in use by nobody that is listed
    return hidden ? sum + (uint64_t)hidden->number[0] : sum;
}

int nvmlDeviceGetMemoryInfo(void *device, uint64_t *memory)
{
    CHECK("GetMemoryInfo")
    memory[0] = 8ull << 30;
    memory[2] = used_bytes(index_of(device));
    memory[1] = memory[0] - memory[2];
    return SUCCESS;
}

int nvmlDeviceGetMemoryInfo_v2(void *device, void *memory)
{
    CHECK("GetMemoryInfo")
    uint64_t *fields = memory;
    if (*(uint32_t *)memory != 0x02000028u) {
        return BAD_VERSION;
    }
    fields[1] = 8ull << 30;
    fields[2] = 0;
    fields[4] = used_bytes(index_of(device));
    fields[3] = fields[1] - fields[4];
    return SUCCESS;
}

static int list_processes(void *device, unsigned *count, char *list)
{
    const struct line *line = find("stride", NULL);
    size_t stride = line ? (size_t)atoi(line->name) : 24;
    unsigned room = *count;
    *count = 0;
    for (size_t i = 0; i < line_count; i++) {
        if (strcmp(lines[i].word, "process") != 0 || atoi(lines[i].name) != index_of(device)) {
            continue;
        }
        if (list && *count < room) {
            char *entry = list + *count * stride;
            uint64_t bytes = lines[i].number[1] < 0 ? UINT64_MAX : (uint64_t)lines[i].number[1];
            memset(entry, stride == 32 ? 0 : 0xff, stride);
            *(uint32_t *)entry = (uint32_t)lines[i].number[0];
            memcpy(entry + 8, &bytes, sizeof bytes);
        }
        ++*count;
    }
    return *count > room ? TOO_SMALL : SUCCESS;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, void *list)
{
    note("questions");
    CHECK("GetComputeRunningProcesses")
    if (list) {
        note("lists");
    }
    return list_processes(device, count, list);
}

// What computes is listed as drawing too, as on a machine with a desktop.
int nvmlDeviceGetGraphicsRunningProcesses_v3(void *device, unsigned *count, void *list)
{
    CHECK("GetGraphicsRunningProcesses")
    return list_processes(device, count, list);
}

struct process_rate {
    uint32_t pid;
    uint64_t time_us;
    uint32_t percent[4];
};

static uint64_t unix_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000;
}

static int list_rates(void *device, struct process_rate *rates, unsigned *count, uint64_t since)
{
    uint64_t now_us = unix_us();
    unsigned room = *count;
    *count = 0;
    for (size_t i = 0; i < line_count && now_us > since; i++) {
        if (strcmp(lines[i].word, "process") == 0 && atoi(lines[i].name) == index_of(device) &&
            lines[i].number[2] > 0) {
            if (*count < room) {
                rates[*count] = (struct process_rate){
                    (uint32_t)lines[i].number[0], now_us, {(uint32_t)lines[i].number[2], 0, 0, 0}};
            }
            ++*count;
        }
    }
    if (*count == 0) {
        return NOT_FOUND;
    }
    return *count > room ? TOO_SMALL : SUCCESS;
}

int nvmlDeviceGetProcessUtilization(void *device, void *list, unsigned *count, uint64_t since)
{
    CHECK("GetProcessUtilization")
    return list_rates(device, list, count, since);
}

struct newer_rate {
    uint64_t time_us;
    uint32_t pid;
    uint32_t percent[6];
};

struct newer_request {
    uint32_t version;
    uint32_t count;
    uint64_t since;
    struct newer_rate *list;
};

int nvmlDeviceGetProcessesUtilizationInfo(void *device, void *request)
{
    CHECK("GetProcessesUtilizationInfo")
    struct newer_request *asked = request;
    struct process_rate rates[64];
    unsigned count = asked->count < 64 ? asked->count : 64;
    if (asked->version != 0x01000018u) {
        return BAD_VERSION;
    }
    status = list_rates(device, rates, &count, asked->since);
    asked->count = count;
    for (unsigned i = 0; status == SUCCESS && i < count; i++) {
        asked->list[i] = (struct newer_rate){
            rates[i].time_us, rates[i].pid, {rates[i].percent[0], 0, 0, 0, 0, 0}};
    }
    return status;
}

int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *pending)
{
    CHECK("GetMigMode")
    *now = of_device("mig", index_of(device)) ? 1 : 0;
    *pending = *now;
    return SUCCESS;
}

int nvmlDeviceGetMaxMigDeviceCount(void *device, unsigned *count)
{
    CHECK("GetMaxMigDeviceCount")
    (void)device;
    *count = 7;
    return SUCCESS;
}

int nvmlDeviceGetMigDeviceHandleByIndex(void *device, unsigned index, void **part)
{
    CHECK("GetMigDeviceHandleByIndex")
    *part = &handles[DEVICE_MAX + index_of(device)];
    return index == 0 ? SUCCESS : NOT_FOUND;
}
