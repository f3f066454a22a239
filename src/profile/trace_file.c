// SPDX-License-Identifier: Apache-2.0
#include "profile/trace_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/text.h"
#include "profile/xplane.h"

#define TEXT_MAX    (512u << 20) // unpacked
#define DEPTH_MAX   6            // plugins/profile/TIME/HOST.trace.json.gz, and a little more
#define ENTRIES_MAX 20000

struct search {
    char *found;
    const char *const *suffixes;
    double newest_s;
    size_t entry_count;
};

static bool has_suffix(const char *name, const char *suffix)
{
    size_t len = strlen(name);
    size_t suffix_len = strlen(suffix);
    return len >= suffix_len && strcmp(name + len - suffix_len, suffix) == 0;
}

static bool has_any_suffix(const char *name, const char *const *suffixes)
{
    while (*suffixes && !has_suffix(name, *suffixes)) {
        suffixes++;
    }
    return *suffixes;
}

static void search_folder(struct search *search, const char *folder, int depth)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    while (entries && (entry = readdir(entries)) && search->entry_count++ < ENTRIES_MAX) {
        char path[TRACE_PATH_MAX];
        struct stat status;
        int len = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || len >= (int)sizeof path || lstat(path, &status) != 0) {
            continue;
        }
        double changed_s = (double)status.st_mtim.tv_sec + (double)status.st_mtim.tv_nsec / 1e9;
        if (S_ISDIR(status.st_mode) && depth < DEPTH_MAX) {
            search_folder(search, path, depth + 1);
        } else if (S_ISREG(status.st_mode) && has_any_suffix(entry->d_name, search->suffixes) &&
                   changed_s >= search->newest_s) {
            search->newest_s = changed_s;
            memcpy(search->found, path, (size_t)len + 1);
        }
    }
    if (entries) {
        closedir(entries);
    }
}

// JAX writes both forms at once, and then the first is taken; TensorFlow writes the second alone.
static const char *const forms[][3] = {{"trace.json", "trace.json.gz", NULL},
                                       {XPLANE_SUFFIX, XPLANE_SUFFIX ".gz", NULL}};

bool trace_file_find(char found[TRACE_PATH_MAX], const char *path, double since_s,
                     struct error *err)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return error_set(err, "cannot open the trace %s: %s", path, strerror(errno));
    }
    if (!S_ISDIR(status.st_mode)) {
        snprintf(found, TRACE_PATH_MAX, "%s", path);
        return true;
    }
    found[0] = '\0';
    for (size_t i = 0; i < sizeof forms / sizeof *forms && !found[0]; i++) {
        struct search search = {.found = found, .suffixes = forms[i], .newest_s = since_s};
        search_folder(&search, path, 0);
    }
    return found[0] ? true
                    : error_set(err,
                                "the program wrote no trace below %s (a file whose name ends in "
                                "trace.json, trace.json.gz or " XPLANE_SUFFIX ")",
                                path);
}

static bool read_text(struct text *text, const char *path, struct error *err)
{
    char bytes[65536];
    gzFile file = gzopen(path, "rbe");
    if (!file) {
        return error_set(err, "cannot open the trace %s: %s", path, strerror(errno));
    }
    int len;
    while ((len = gzread(file, bytes, sizeof bytes)) > 0 && text->len <= TEXT_MAX) {
        text_add_bytes(text, bytes, (size_t)len);
    }
    gzclose(file);
    if (len < 0) {
        return error_set(err, "the trace %s is damaged or was not written to its end", path);
    }
    return text->len <= TEXT_MAX
               ? true
               : error_set(err, "the trace %s is larger than 512 MB: trace fewer steps", path);
}

static bool read_json(json_t **root, const struct text *text, struct error *err)
{
    json_error_t problem;
    *root = json_loadb(text->data ? text->data : "", text->len, JSON_ALLOW_NUL, &problem);
    return *root ? true : error_set(err, "it is no JSON: line %d: %s", problem.line, problem.text);
}

bool trace_file_read(json_t **root, const char *path, struct error *err)
{
    struct text text = {0};
    if (!read_text(&text, path, err)) {
        text_clear(&text);
        return false;
    }
    struct error why;
    bool is_read = has_any_suffix(path, forms[1])
                       ? xplane_read(root, text.data ? text.data : "", text.len, &why)
                       : read_json(root, &text, &why);
    text_clear(&text);
    return is_read ? true : error_set(err, "the trace %s cannot be read: %s", path, why.text);
}
