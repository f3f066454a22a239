// SPDX-License-Identifier: Apache-2.0
#include "render/tokens.h"

#include <ctype.h>

#define LETTERS_A_TOKEN 3 // words take fewer tokens, odd names no more
#define DIGITS_A_TOKEN  3
#define BLANKS_A_TOKEN  16

static size_t run_len(const char *text, size_t len, int (*is_kind)(int))
{
    size_t run = 0;
    while (run < len && (unsigned char)text[run] < 0x80 && is_kind((unsigned char)text[run])) {
        run++;
    }
    return run;
}

static size_t round_up(size_t len, size_t unit)
{
    return (len + unit - 1) / unit;
}

size_t tokens_of(const char *text, size_t len)
{
    size_t count = 0;
    for (size_t at = 0; at < len;) {
        size_t letters = run_len(text + at, len - at, isalpha);
        size_t digits = run_len(text + at, len - at, isdigit);
        size_t blanks = run_len(text + at, len - at, isspace);
        if (letters > 0) {
            count += round_up(letters, LETTERS_A_TOKEN);
        } else if (digits > 0) {
            count += round_up(digits, DIGITS_A_TOKEN);
        } else if (blanks > 1 || (blanks == 1 && text[at] != ' ')) {
            count += round_up(blanks, BLANKS_A_TOKEN); // one blank belongs to the word behind it
        } else if (blanks == 0) {
            count++; // a mark, or a byte of a character that is none of ASCII
        }
        at += letters + digits + blanks > 0 ? letters + digits + blanks : 1;
    }
    return count;
}
