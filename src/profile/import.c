// SPDX-License-Identifier: Apache-2.0
#include "profile/import.h"

#include <stdlib.h>
#include <string.h>

#include "profile/statement.h"

// In order, for the search.
static const char *const native_modules[] = {
    "_bisect",    "_collections",  "_csv",         "_ctypes",      "_datetime",   "_decimal",
    "_functools", "_heapq",        "_io",          "_json",        "_operator",   "_pickle",
    "_random",    "_socket",       "_sqlite3",     "_sre",         "_ssl",        "_struct",
    "_thread",    "aiohttp",       "array",        "atexit",       "audioop",     "binascii",
    "builtins",   "cffi",          "cmath",        "cryptography", "cupy",        "cv2",
    "duckdb",     "errno",         "faulthandler", "fcntl",        "gc",          "gevent",
    "greenlet",   "grp",           "grpc",         "h5py",         "itertools",   "jaxlib",
    "lightgbm",   "lxml",          "marshal",      "math",         "matplotlib",  "mmap",
    "msgpack",    "numba",         "numexpr",      "numpy",        "onnxruntime", "orjson",
    "pandas",     "polars",        "posix",        "psutil",       "psycopg2",    "pwd",
    "pyarrow",    "pydantic_core", "pyexpat",      "readline",     "regex",       "resource",
    "scipy",      "select",        "shapely",      "simplejson",   "sklearn",     "spacy",
    "sys",        "syslog",        "tensorflow",   "termios",      "time",        "tokenizers",
    "torch",      "ujson",         "unicodedata",  "uvloop",       "xgboost",     "zlib",
    "zmq",        "zstandard",
};

static int compare_name(const void *key, const void *element)
{
    return strcmp(key, *(const char *const *)element);
}

static bool is_native(const char *module)
{
    char top[64];
    size_t len = strcspn(module, ". ");
    if (len == 0 || len >= sizeof top) {
        return false;
    }
    memcpy(top, module, len);
    top[len] = '\0';
    return bsearch(top, native_modules, sizeof native_modules / sizeof *native_modules,
                   sizeof *native_modules, compare_name) != NULL;
}

// One token of an import statement: a dotted name, or one of ,()*; empty at its end.
static bool next_token(const struct statement *statement, size_t *offset, struct text *token)
{
    token->len = 0;
    while (*offset < statement->len) {
        char c = statement->text[*offset];
        if (c == '#') {
            while (*offset < statement->len && !strchr("\r\n", statement->text[*offset])) {
                (*offset)++;
            }
        } else if (c == '\0' || strchr(" \t\f\\\r\n", c)) {
            (*offset)++;
        } else {
            break;
        }
    }
    while (*offset < statement->len) {
        const char *word;
        size_t end = *offset;
        char c = statement->text[*offset];
        size_t len = statement_word(statement, &end, &word);
        if (len > 0 && word == statement->text + *offset) {
            text_add_bytes(token, word, len);
            *offset = end;
        } else if (c == '.') {
            text_add_char(token, c);
            (*offset)++;
        } else {
            break;
        }
    }
    if (token->len == 0 && *offset < statement->len && strchr(",()*", statement->text[*offset])) {
        text_add_char(token, statement->text[(*offset)++]);
    }
    return token->len > 0;
}

// "import a.b as c, d": each module is one statement.
static void write_import(struct writer *writer, const struct statement *statement, size_t offset)
{
    struct text token = {0};
    struct text item = {0};
    bool has_more = true;
    while (has_more) {
        has_more = next_token(statement, &offset, &token);
        if (has_more && strcmp(token.data, ",") != 0) {
            text_format(&item, "%s%s", item.len > 0 ? " " : "import ", token.data);
        } else {
            if (item.len > 0 && is_native(item.data + strlen("import "))) {
                writer_text_bytes(writer, item.data, item.len);
            }
            item.len = 0;
        }
    }
    text_clear(&item);
    text_clear(&token);
}

// "from a import (b, c)" is one statement, written without brackets.
static void write_from(struct writer *writer, const struct statement *statement, size_t offset)
{
    struct text token = {0};
    struct text line = {0};
    text_add(&line, "from");
    if (next_token(statement, &offset, &token) && is_native(token.data)) {
        do {
            bool is_bracket = strcmp(token.data, "(") == 0 || strcmp(token.data, ")") == 0;
            bool is_comma = strcmp(token.data, ",") == 0;
            if (!is_bracket) {
                text_format(&line, "%s%s", is_comma ? "" : " ", token.data);
            }
        } while (next_token(statement, &offset, &token));
        if (line.data[line.len - 1] == ',') {
            line.len--;
        }
        writer_text_bytes(writer, line.data, line.len);
    }
    text_clear(&line);
    text_clear(&token);
}

void import_write_native(struct writer *writer, const struct source *source)
{
    struct statement_reader reader;
    struct statement statement;
    writer_begin_list(writer);
    statement_start(&reader, source);
    while (statement_next(&reader, &statement)) {
        const char *word;
        size_t offset = statement.has_inline_body ? statement.colon + 1 : 0;
        size_t len = statement_word(&statement, &offset, &word);
        if (statement_is_word(word, len, "import")) {
            write_import(writer, &statement, offset);
        } else if (statement_is_word(word, len, "from")) {
            write_from(writer, &statement, offset);
        }
    }
    writer_end_list(writer);
}
