// SPDX-License-Identifier: Apache-2.0
#include "cli/target.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "launch/path.h"

// Python's options that take a value and go on; -c and -m take one and end the options.
#define VALUE_LETTERS "WXQ"

// How far Python's own options were understood.
struct scan {
    int index;         // the word looked at
    char kind;         // 'c', 'm', or 0: a script or stdin
    const char *value; // of -c and -m; NULL: missing
};

// One cluster of short options, such as -uB or -Wignore or -um. True when it ends the options.
static bool scan_cluster(struct scan *scan, int count, char **words)
{
    for (const char *letter = words[scan->index] + 1; *letter; letter++) {
        bool is_last = *letter == 'c' || *letter == 'm';
        if (!is_last && !strchr(VALUE_LETTERS, *letter)) {
            continue;
        }
        const char *value = letter + 1;
        if (!*value) {
            scan->index++;
            value = scan->index < count ? words[scan->index] : NULL;
        }
        if (is_last) {
            scan->kind = *letter;
            scan->value = value;
        }
        return is_last;
    }
    return false;
}

static struct scan scan_options(int count, char **words)
{
    struct scan scan = {0};
    for (; scan.index < count; scan.index++) {
        const char *word = words[scan.index];
        if (word[0] != '-' || word[1] == '\0') {
            break;
        }
        if (strcmp(word, "--") == 0) {
            scan.index++;
            break;
        }
        if (strcmp(word, "--check-hash-based-pycs") == 0) {
            scan.index++;
        } else if (word[1] != '-' && scan_cluster(&scan, count, words)) {
            break;
        }
    }
    return scan;
}

static bool check_script(const char *script, struct error *err)
{
    struct stat status;
    if (stat(script, &status) != 0) {
        return errno == ENOENT
                   ? error_set(err,
                               "could not find input file %s; give the path of a Python "
                               "program, or -m and the name of a module",
                               script)
                   : error_set(err, "cannot read input file %s: %s", script, strerror(errno));
    }
    if (S_ISDIR(status.st_mode)) {
        char *entry = path_join(script, "__main__.py");
        bool can_run = access(entry, F_OK) == 0;
        free(entry);
        return can_run ? true
                       : error_set(err,
                                   "cannot run %s: it is a directory without __main__.py; give "
                                   "the path of a Python program",
                                   script);
    }
    if (access(script, R_OK) != 0) {
        return error_set(err, "cannot read input file %s: %s", script, strerror(errno));
    }
    return true;
}

// As Python does for sys.path[0]: links of the script itself are followed, those above it are not.
static char *directory_of(const char *script)
{
    char *path = path_absolute(script);
    for (int hops = 0; hops < 40; hops++) {
        char link[PATH_MAX];
        ssize_t len = readlink(path, link, sizeof link - 1);
        if (len <= 0) {
            break;
        }
        link[len] = '\0';
        char *parent = path_parent(path);
        char *joined = link[0] == '/' ? mem_copy_text(link) : path_join(parent, link);
        free(parent);
        free(path);
        path = path_absolute(joined);
        free(joined);
    }
    struct stat status;
    bool is_directory = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    char *directory = is_directory ? mem_copy_text(path) : path_parent(path);
    free(path);
    return directory;
}

// Commands of packages (pytest, gunicorn) are installed beside the interpreter. What they run is
// the current folder's, as with -m.
static bool is_installed_command(const char *directory)
{
    char *python = path_join(directory, "python3");
    bool is_there = access(python, X_OK) == 0;
    free(python);
    return is_there;
}

static void set_script(struct target *target, const char *script)
{
    target->script = script;
    target->program = path_absolute(script);
    target->entry_dir = directory_of(script);
    target->directory = is_installed_command(target->entry_dir) ? path_absolute(".")
                                                                : mem_copy_text(target->entry_dir);
    target->code_name = mem_copy_text(target->program);
}

static void set_without_file(struct target *target, const struct scan *scan)
{
    struct text program = {0};
    text_add(&program, scan->kind == 'm' ? "-m " : scan->kind == 'c' ? "-c" : "-");
    text_add(&program, scan->kind == 'm' ? scan->value : "");
    target->program = program.data;
    target->directory = path_absolute(".");
    target->entry_dir = scan->kind == 'm' ? mem_copy_text("") : path_absolute(".");
    target->code = scan->kind == 'c' ? scan->value : NULL;
    if (scan->kind != 'm') {
        target->code_name = mem_copy_text(scan->kind == 'c' ? "<string>" : "<stdin>");
    }
}

// As in `prog.py --- args`: an old way to say where the program's arguments begin. Only the first
// one is ours.
static void drop_separator(struct target *target)
{
    for (int i = target->first_arg + 1; i < target->word_count; i++) {
        if (strcmp(target->words[i], "---") == 0) {
            target->word_count--;
            memmove(target->words + i, target->words + i + 1,
                    (size_t)(target->word_count - i) * sizeof *target->words);
            return;
        }
    }
}

bool target_read(struct target *target, int count, char **words, struct error *err)
{
    *target = (struct target){0};
    bool is_as_it_is = count > 0 && (strcmp(words[0], "---") == 0 || strcmp(words[0], "--") == 0);
    if (is_as_it_is) {
        count--;
        words++;
    }
    if (count == 0) {
        return error_set(err,
                         "no input file specified; give a Python program: scalene run prog.py");
    }
    target->words = words;
    target->word_count = count;
    struct scan scan = scan_options(count, words);
    if (scan.kind && !scan.value) {
        return error_set(err, "nothing follows -%c; give it %s", scan.kind,
                         scan.kind == 'm' ? "the name of a module" : "the code to run");
    }
    target->first_arg = scan.index < count ? scan.index : count;
    if (!is_as_it_is) {
        drop_separator(target);
    }
    if (scan.kind || scan.index >= count || strcmp(words[scan.index], "-") == 0) {
        set_without_file(target, &scan);
        return true;
    }
    if (!check_script(words[scan.index], err)) {
        return false;
    }
    set_script(target, words[scan.index]);
    return true;
}

void target_clear(struct target *target)
{
    free(target->program);
    free(target->directory);
    free(target->entry_dir);
    free(target->code_name);
    *target = (struct target){0};
}
