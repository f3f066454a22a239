// SPDX-License-Identifier: Apache-2.0
#include "launch/interpreter.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "launch/executable.h"
#include "launch/path.h"

#define SHEBANG_MAX 256 // the kernel reads no more either

// python, python3, python3.12, python3.13t, python3-dbg; not python2, not pythonw.
static bool names_python(const char *path)
{
    const char *name = path_name(path);
    if (strncmp(name, "python", 6) != 0) {
        return false;
    }
    return name[6] == '\0' || name[6] == '-' ||
           (name[6] == '3' && !isalpha((unsigned char)name[7]));
}

// The file's first line without its end, or an empty text. Pipes are left alone: to read one
// would take the program away from Python.
static void read_first_line(const char *path, char line[SHEBANG_MAX])
{
    struct stat status;
    line[0] = '\0';
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    ssize_t len = read(fd, line, SHEBANG_MAX - 1);
    close(fd);
    line[len > 0 ? len : 0] = '\0';
    line[strcspn(line, "\r\n")] = '\0';
}

// `env` may be given options and assignments before the program's name.
static char *skip_env_words(char *word, char **rest)
{
    while (word && (word[0] == '-' || strchr(word, '='))) {
        word = strncmp(word, "-S", 2) == 0 && word[2] ? word + 2 : strtok_r(NULL, " \t", rest);
    }
    return word;
}

char *interpreter_from_shebang(const char *script)
{
    char line[SHEBANG_MAX];
    read_first_line(script, line);
    if (strncmp(line, "#!", 2) != 0) {
        return NULL;
    }
    char *rest;
    char *word = strtok_r(line + 2, " \t", &rest);
    if (word && strcmp(path_name(word), "env") == 0) {
        word = skip_env_words(strtok_r(NULL, " \t", &rest), &rest);
    }
    return word && names_python(word) ? mem_copy_text(word) : NULL;
}

static bool take(struct interpreter *interpreter, const char *name, const char *search)
{
    interpreter->path = path_find_program(name, search);
    if (!interpreter->path) {
        return false;
    }
    interpreter->name = mem_copy_text(name);
    return true;
}

static bool take_asked(struct interpreter *interpreter, const char *asked, const char *search,
                       struct error *err)
{
    if (take(interpreter, asked, search)) {
        return true;
    }
    const char *advice = "give --python the path of a Python interpreter";
    struct stat status;
    if (!strchr(asked, '/')) {
        return error_set(err, "interpreter '%s' not found in PATH; %s", asked, advice);
    }
    if (stat(asked, &status) != 0) {
        return error_set(err, "interpreter '%s' cannot be used: %s; %s", asked, strerror(errno),
                         advice);
    }
    const char *why = S_ISDIR(status.st_mode) ? "it is a directory" : "it is not executable";
    return error_set(err, "interpreter '%s' cannot be used: %s; %s", asked, why, advice);
}

// A command that is only linked from elsewhere (pipx, uv tool) is not the program's neighbour.
static bool take_from_beside(struct interpreter *interpreter, const char *command)
{
    if (!command) {
        return false;
    }
    char *path = path_absolute(command);
    char *folder = path_parent(path);
    char *mark = path_join(folder, "../pyvenv.cfg");
    char *python = path_join(folder, "python");
    bool is_there = access(mark, F_OK) == 0 && take(interpreter, python, NULL);
    free(python);
    free(mark);
    free(folder);
    free(path);
    return is_there;
}

static bool take_from_virtual_env(struct interpreter *interpreter, const char *virtual_env)
{
    if (!virtual_env || !virtual_env[0]) {
        return false;
    }
    char *path = path_join(virtual_env, "bin/python");
    bool is_there = take(interpreter, path, NULL);
    free(path);
    return is_there;
}

static bool take_from_shebang(struct interpreter *interpreter, const char *script,
                              const char *search)
{
    char *named = script ? interpreter_from_shebang(script) : NULL;
    bool is_there = named && take(interpreter, named, search);
    free(named);
    return is_there;
}

static bool choose(struct interpreter *interpreter, const struct interpreter_request *request,
                   struct error *err)
{
    if (request->asked) {
        return take_asked(interpreter, request->asked, request->search, err);
    }
    if (take_from_beside(interpreter, request->command) ||
        take_from_virtual_env(interpreter, request->virtual_env) ||
        take_from_shebang(interpreter, request->script, request->search) ||
        take(interpreter, "python3", request->search) ||
        take(interpreter, "python", request->search)) {
        return true;
    }
    return error_set(err, "no Python interpreter found: there is neither python3 nor python in "
                          "PATH; name one with --python PATH");
}

bool interpreter_find(struct interpreter *interpreter, const struct interpreter_request *request,
                      struct error *err)
{
    *interpreter = (struct interpreter){0};
    if (!choose(interpreter, request, err)) {
        return false;
    }
    if (!executable_check(interpreter->path, err)) {
        interpreter_clear(interpreter);
        return false;
    }
    return true;
}

void interpreter_clear(struct interpreter *interpreter)
{
    free(interpreter->path);
    free(interpreter->name);
    *interpreter = (struct interpreter){0};
}
