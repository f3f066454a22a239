// SPDX-License-Identifier: Apache-2.0
#include "profile/squeeze.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define DEPTH_MAX    64
#define FILE_DEPTH   3 // of the members of a file: root, files, file
#define RECORD_DEPTH 5 // of the members of a line's record: and lines, line
#define DIGITS_MAX   24

#define SPACE 1
#define ENDS  2 // a number or word, as white space does

static const unsigned char classes[256] = {
    [' '] = SPACE | ENDS, ['\n'] = SPACE | ENDS, ['\t'] = SPACE | ENDS, ['\r'] = SPACE | ENDS,
    [','] = ENDS,         [':'] = ENDS,          ['"'] = ENDS,          ['['] = ENDS,
    [']'] = ENDS,         ['{'] = ENDS,          ['}'] = ENDS,
};

static bool is_class(char c, unsigned class)
{
    return (classes[(unsigned char)c] & class) != 0;
}

struct level {
    bool is_object;
    bool has_member;  // written
    bool needs_comma; // before the next member or element
    size_t start;     // of the member that is being written, in the output
    size_t value;     // of its value
    bool has_key;
    bool is_begun; // a member or element was read
    bool is_lines; // of a file: its elements go to the records
};

struct squeezer {
    const char *at;
    const char *end;
    enum squeeze_use use;
    struct squeezed *result;
    struct text *out; // the text or the records of the result, with room for all that can come
    bool is_in_files;
    bool is_at_lines; // the next value is a file's lines
    int depth;
    struct level levels[DEPTH_MAX];
};

static bool is_one_of(const char *token, size_t len, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(list[i]) == len && memcmp(list[i], token, len) == 0) {
            return true;
        }
    }
    return false;
}

#define IS_ONE_OF(token, len, list) is_one_of(token, len, list, sizeof(list) / sizeof *(list))

static bool is_key_left_out(const struct squeezer *squeezer, const char *key, size_t len)
{
    static const char *const never_read[] = {"\"combined_stacks_timeline\"", "\"stacks\""};
    static const char *const of_stacks[] = {"\"combined_stacks\"", "\"combined_stacks_s\"",
                                            "\"memory_stacks\""};
    static const char *const of_records[] = {
        "\"cpu_samples_list\"",    "\"end_function_line\"", "\"end_outermost_loop\"",
        "\"end_region_line\"",     "\"n_growth_mb\"",       "\"n_mallocs\"",
        "\"start_function_line\"", "\"start_region_line\"", "\"start_outermost_loop\"",
    };
    if (squeezer->depth == 1) {
        return IS_ONE_OF(key, len, never_read) ||
               (squeezer->use == SQUEEZE_LINES && IS_ONE_OF(key, len, of_stacks));
    }
    return squeezer->depth == RECORD_DEPTH && squeezer->is_in_files &&
           IS_ONE_OF(key, len, of_records);
}

static bool is_nothing(const char *value, size_t len)
{
    static const char *const nothings[] = {"0.0", "0", "[]", "{}", "null", "false"};
    return len <= 5 && IS_ONE_OF(value, len, nothings);
}

// The end of the string that starts here, behind its quote; NULL: there is none.
static const char *string_end(const char *at, const char *end)
{
    const char *quote = at + 1;
    while ((quote = memchr(quote, '"', (size_t)(end - quote))) != NULL) {
        const char *before = quote;
        while (before > at + 1 && before[-1] == '\\') {
            before--;
        }
        if ((quote - before) % 2 == 0) {
            return quote + 1;
        }
        quote++;
    }
    return NULL;
}

static void put(struct squeezer *squeezer, const char *bytes, size_t len)
{
    memcpy(squeezer->out->data + squeezer->out->len, bytes, len);
    squeezer->out->len += len;
}

static void skip_space(struct squeezer *squeezer)
{
    while (squeezer->at < squeezer->end && is_class(*squeezer->at, SPACE)) {
        squeezer->at++;
    }
}

// Passes by one value of any kind, without looking at what is between its brackets.
static bool skip_value(struct squeezer *squeezer)
{
    int depth = 0;
    do {
        skip_space(squeezer);
        if (squeezer->at == squeezer->end) {
            return false;
        }
        char c = *squeezer->at;
        if (c == '"') {
            const char *behind = string_end(squeezer->at, squeezer->end);
            if (!behind) {
                return false;
            }
            squeezer->at = behind;
            continue;
        }
        depth += c == '[' || c == '{';
        depth -= c == ']' || c == '}';
        squeezer->at++;
        while (!is_class(c, ENDS) && squeezer->at < squeezer->end &&
               !is_class(*squeezer->at, ENDS)) {
            squeezer->at++; // a number or word
        }
    } while (depth > 0);
    return depth == 0;
}

static bool begin_member(struct squeezer *squeezer)
{
    struct level *level = &squeezer->levels[squeezer->depth];
    if (level->needs_comma) {
        return false;
    }
    if (!level->is_object || !level->has_key) {
        level->start = squeezer->out->len;
        if (level->has_member && !level->is_lines) {
            put(squeezer, ",", 1);
        }
    }
    level->value = squeezer->out->len;
    return !level->is_object || level->has_key;
}

static void end_member(struct squeezer *squeezer)
{
    struct level *level = &squeezer->levels[squeezer->depth];
    bool is_left_out =
        level->is_object && squeezer->depth >= RECORD_DEPTH &&
        is_nothing(squeezer->out->data + level->value, squeezer->out->len - level->value);
    if (is_left_out) {
        squeezer->out->len = level->start;
    } else {
        level->has_member = true;
    }
    level->has_key = false;
    level->needs_comma = true;
    level->is_begun = true;
}

// What a key says of the value behind it.
static void note_key(struct squeezer *squeezer, const char *key, size_t len)
{
    static const char *const files[] = {"\"files\""};
    static const char *const lines[] = {"\"lines\""};
    if (squeezer->depth == 1) {
        squeezer->is_in_files = IS_ONE_OF(key, len, files);
    }
    squeezer->is_at_lines = squeezer->depth == FILE_DEPTH && squeezer->is_in_files &&
                            squeezer->levels[FILE_DEPTH - 1].is_object &&
                            IS_ONE_OF(key, len, lines);
}

// Leaves a value out. Where it stands is kept of the timeline, which has a reader of its own.
static bool leave_out(struct squeezer *squeezer, const char *key, size_t len)
{
    static const char *const timeline[] = {"\"combined_stacks_timeline\""};
    const char *start = squeezer->at;
    if (!skip_value(squeezer)) {
        return false;
    }
    if (squeezer->depth == 1 && IS_ONE_OF(key, len, timeline)) {
        squeezer->result->timeline = start;
        squeezer->result->timeline_len = (size_t)(squeezer->at - start);
    }
    return true;
}

static bool read_key(struct squeezer *squeezer, const char *key, size_t len)
{
    struct level *level = &squeezer->levels[squeezer->depth];
    skip_space(squeezer);
    if (level->needs_comma || squeezer->at == squeezer->end || *squeezer->at != ':') {
        return false;
    }
    squeezer->at++;
    note_key(squeezer, key, len);
    if (is_key_left_out(squeezer, key, len)) {
        level->needs_comma = true;
        level->is_begun = true;
        return leave_out(squeezer, key, len);
    }
    level->start = squeezer->out->len;
    if (level->has_member) {
        put(squeezer, ",", 1);
    }
    put(squeezer, key, len);
    put(squeezer, ":", 1);
    level->has_key = true;
    return true;
}

static bool read_string(struct squeezer *squeezer)
{
    const char *start = squeezer->at;
    const char *end = string_end(start, squeezer->end);
    const struct level *level = &squeezer->levels[squeezer->depth];
    if (!end) {
        return false;
    }
    squeezer->at = end;
    if (level->is_object && !level->has_key) {
        return read_key(squeezer, start, (size_t)(end - start));
    }
    if (!begin_member(squeezer)) {
        return false;
    }
    put(squeezer, start, (size_t)(end - start));
    end_member(squeezer);
    return true;
}

// A number or a word: the JSON reader will say whether it is one.
static bool read_scalar(struct squeezer *squeezer)
{
    const char *start = squeezer->at;
    while (squeezer->at < squeezer->end && !is_class(*squeezer->at, ENDS)) {
        squeezer->at++;
    }
    if (squeezer->at == start || !begin_member(squeezer)) {
        return false;
    }
    put(squeezer, start, (size_t)(squeezer->at - start));
    end_member(squeezer);
    return true;
}

static void begin_lines(struct squeezer *squeezer)
{
    struct squeezed *result = squeezer->result;
    result->lists =
        mem_grow(result->lists, result->list_count, &result->list_capacity, sizeof *result->lists);
    result->lists[result->list_count++] = (struct squeezed_list){.start = result->records.len};
    squeezer->out = &result->records;
}

// In the text a list of lines is its number.
static void end_lines(struct squeezer *squeezer)
{
    struct squeezed *result = squeezer->result;
    char number[DIGITS_MAX];
    size_t index = result->list_count - 1;
    int len = snprintf(number, sizeof number, "%zu", index);
    result->lists[index].end = result->records.len;
    squeezer->out = &result->text;
    put(squeezer, number, (size_t)len);
}

static bool open_level(struct squeezer *squeezer, bool is_object)
{
    bool is_lines = !is_object && squeezer->is_at_lines && squeezer->depth == FILE_DEPTH;
    if (squeezer->depth + 1 == DEPTH_MAX || !begin_member(squeezer)) {
        return false;
    }
    if (is_lines) {
        begin_lines(squeezer);
    } else {
        put(squeezer, squeezer->at, 1);
    }
    squeezer->at++;
    squeezer->levels[++squeezer->depth] =
        (struct level){.is_object = is_object, .is_lines = is_lines};
    return true;
}

static bool close_level(struct squeezer *squeezer, bool is_object)
{
    const struct level *level = &squeezer->levels[squeezer->depth];
    bool has_loose_end = level->has_key || level->needs_comma != level->is_begun;
    if (squeezer->depth == 0 || level->is_object != is_object || has_loose_end) {
        return false;
    }
    if (level->is_lines) {
        end_lines(squeezer);
    } else {
        put(squeezer, squeezer->at, 1);
    }
    squeezer->at++;
    squeezer->depth--;
    end_member(squeezer);
    return true;
}

static bool read_comma(struct squeezer *squeezer)
{
    struct level *level = &squeezer->levels[squeezer->depth];
    bool is_expected = level->needs_comma && squeezer->depth > 0;
    level->needs_comma = false;
    squeezer->at++;
    return is_expected;
}

// Records of lines are objects, or the list is not one of lines.
static bool is_record(const struct squeezer *squeezer)
{
    return !squeezer->levels[squeezer->depth].is_lines || strchr("{],", *squeezer->at);
}

static bool read_token(struct squeezer *squeezer)
{
    switch (*squeezer->at) {
    case '{':
        return open_level(squeezer, true);
    case '[':
        return open_level(squeezer, false);
    case '}':
        return close_level(squeezer, true);
    case ']':
        return close_level(squeezer, false);
    case ',':
        return read_comma(squeezer);
    case '"':
        return read_string(squeezer);
    default:
        return read_scalar(squeezer);
    }
}

bool squeeze(const char *text, size_t len, enum squeeze_use use, struct squeezed *out)
{
    // A number stands for a list of two bytes at least, in a file of fourteen or more.
    *out = (struct squeezed){.text = {.data = mem_resize(NULL, len + len / 2 + DIGITS_MAX)},
                             .records = {.data = mem_resize(NULL, len + 1)}};
    struct squeezer squeezer = {
        .at = text, .end = text + len, .use = use, .result = out, .out = &out->text};
    bool is_good = true;
    skip_space(&squeezer);
    while (is_good && squeezer.at < squeezer.end) {
        is_good = is_record(&squeezer) && read_token(&squeezer);
        skip_space(&squeezer);
    }
    out->text.data[out->text.len] = '\0';
    out->records.data[out->records.len] = '\0';
    return is_good && squeezer.depth == 0;
}

void squeezed_clear(struct squeezed *squeezed)
{
    text_clear(&squeezed->text);
    text_clear(&squeezed->records);
    free(squeezed->lists);
    *squeezed = (struct squeezed){0};
}
