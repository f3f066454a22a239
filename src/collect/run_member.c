// SPDX-License-Identifier: Apache-2.0
#include "collect/run_member.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process_stat.h"
#include "wire/control.h"

static int parent_of(int pid)
{
    struct process_stat stat;
    return process_stat_read(&stat, pid) ? (int)process_stat_number(&stat, STAT_PARENT) : 0;
}

static bool has_mapped(const char *pid, const char *page)
{
    char path[sizeof "/proc//maps" + NAME_MAX];
    char *line = NULL;
    size_t capacity = 0;
    bool is_found = false;
    snprintf(path, sizeof path, "/proc/%s/maps", pid);
    FILE *file = fopen(path, "re");
    while (file && !is_found && getline(&line, &capacity, file) > 0) {
        is_found = strstr(line, page) != NULL;
    }
    if (file) {
        fclose(file);
    }
    free(line);
    return is_found;
}

bool run_member_exists(const char *run_dir)
{
    char page[PATH_MAX];
    bool is_found = false;
    DIR *processes = opendir("/proc");
    const struct dirent *entry;
    snprintf(page, sizeof page, "%s/%s", run_dir, CONTROL_FILE);
    while (processes && !is_found && (entry = readdir(processes))) {
        if (isdigit((unsigned char)entry->d_name[0]) && atoi(entry->d_name) != getpid() &&
            parent_of(atoi(entry->d_name)) != getpid()) {
            is_found = has_mapped(entry->d_name, page);
        }
    }
    if (processes) {
        closedir(processes);
    }
    return is_found;
}
