// SPDX-License-Identifier: Apache-2.0

// Copies of every kind. The compiler must not make them itself: it is told nothing of these names.

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "map_probe.h"
#include "probe.h"

void *__memcpy_chk(void *to, const void *from, size_t len, size_t room);
void *__memmove_chk(void *to, const void *from, size_t len, size_t room);
void *__mempcpy_chk(void *to, const void *from, size_t len, size_t room);
char *__strcpy_chk(char *to, const char *from, size_t room);
char *__stpcpy_chk(char *to, const char *from, size_t room);
char *__strncpy_chk(char *to, const char *from, size_t len, size_t room);
char *__stpncpy_chk(char *to, const char *from, size_t len, size_t room);
char *__strcat_chk(char *to, const char *from, size_t room);

static unsigned char source[1 << 16];
static unsigned char target[1 << 16];

// Copies and compares at all small sizes, some large ones, and at all alignments.
static void test_every_size(const char *name, void *(*copy)(void *, const void *, size_t),
                            size_t returned_per_byte)
{
    size_t wrong = 0;
    long sum = 0;
    map_expect_begin();
    for (size_t len = 0; len < 60000; len = len < 300 ? len + 1 : len * 2) {
        for (size_t at = 0; at < 16; at++) {
            memset(target, 0, len + 32);
            char *result = copy(target + at, source + (16 - at), len);
            wrong += result != (char *)target + at + len * returned_per_byte;
            wrong += memcmp(target + at, source + (16 - at), len) != 0;
            wrong += target[at + len] != 0;
            sum += (long)len;
        }
    }
    map_expect(name, SUM_COPIES, sum);
    show(name, (long)wrong);
}

static void test_overlap(const char *name, void *(*copy)(void *, const void *, size_t))
{
    size_t wrong = 0;
    for (size_t len = 1; len < 3000; len += 7) {
        for (size_t shift = 1; shift < 40; shift += 3) {
            memset(target, 0, sizeof target);
            for (size_t i = 0; i < len; i++) {
                target[100 + i] = (unsigned char)(i * 7);
            }
            copy(target + 100 + shift, target + 100, len);
            copy(target + 100, target + 100 + shift, len);
            for (size_t i = 0; i < len; i++) {
                wrong += target[100 + i] != (unsigned char)(i * 7);
            }
        }
    }
    show(name, (long)wrong);
}

// Until 2.14 memcpy was memmove, and programs of that time may need it so. It is theirs by the
// version that they name; our hook stands for both.
static void *(*old_copy(void))(void *, const void *, size_t)
{
    void *(*bare)(void *, const void *, size_t) =
        (void *(*)(void *, const void *, size_t))dlvsym(RTLD_DEFAULT, "memcpy", "GLIBC_2.2.5");
    return bare;
}

static void *checked_copy(void *to, const void *from, size_t len)
{
    return __memcpy_chk(to, from, len, sizeof target);
}

static void *checked_move(void *to, const void *from, size_t len)
{
    return __memmove_chk(to, from, len, sizeof target);
}

static void *checked_copy_end(void *to, const void *from, size_t len)
{
    return __mempcpy_chk(to, from, len, sizeof target);
}

static void test_text(void)
{
    char text[64];
    map_expect_begin();
    show("strcpy", strcpy(text, "twelve bytes") == text);
    show_text("strcpy", text);
    show("stpcpy", stpcpy(text, "seven..") - text);
    show("strcat", strcat(text, "+four") == text);
    show_text("strcat", text);
    show("strncpy", strncpy(text, "a long one", 4) == text);
    show_text("strncpy", text);
    show("strncpy pads", strncpy(text, "ab", 20) == text && text[19] == 0);
    show("stpncpy", stpncpy(text, "abc", 20) - text);
    map_expect("text", SUM_COPIES, 12 + 7 + 5 + 4 + 2 + 3);
    map_expect_begin();
    show("__strcpy_chk", __strcpy_chk(text, "twelve bytes", 13) == text);
    show("__stpcpy_chk", __stpcpy_chk(text, "seven..", 64) - text);
    show("__strcat_chk", __strcat_chk(text, "+four", 64) == text);
    show_text("__strcat_chk", text);
    show("__strncpy_chk", __strncpy_chk(text, "abc", 10, 64) == text);
    show("__stpncpy_chk", __stpncpy_chk(text, "abc", 10, 64) - text);
    map_expect("checked text", SUM_COPIES, 12 + 7 + 5 + 3 + 3);
}

static void copy_too_much(int which)
{
    char *text = malloc(8);
    switch (which) {
    case 0:
        __memcpy_chk(text, source, 9, 8);
        break;
    case 1:
        __memmove_chk(text, source, 9, 8);
        break;
    case 2:
        __mempcpy_chk(text, source, 9, 8);
        break;
    case 3:
        __strcpy_chk(text, "12345678", 8);
        break;
    case 4:
        __stpcpy_chk(text, "12345678", 8);
        break;
    case 5:
        __strncpy_chk(text, "1", 9, 8);
        break;
    case 6:
        __stpncpy_chk(text, "1", 9, 8);
        break;
    default:
        strcpy(text, "1234");
        __strcat_chk(text, "5678", 8);
    }
}

// The C library says so and ends the program.
static void test_overflow(void)
{
    for (int which = 0; which < 8; which++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            copy_too_much(which);
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        show("too much", WIFSIGNALED(status) ? WTERMSIG(status) : -1);
    }
}

int main(void)
{
    for (size_t i = 0; i < sizeof source; i++) {
        source[i] = (unsigned char)(i * 31 + 1) | 1;
    }
    test_every_size("memcpy", memcpy, 0);
    test_every_size("memmove", memmove, 0);
    test_every_size("mempcpy", mempcpy, 1);
    test_every_size("__memcpy_chk", checked_copy, 0);
    test_every_size("__memmove_chk", checked_move, 0);
    test_every_size("__mempcpy_chk", checked_copy_end, 1);
    test_overlap("memmove overlapping", memmove);
    test_overlap("old memcpy overlapping", old_copy());
    errno = 5;
    memcpy(target, source, 100);
    show("errno", errno);
    test_text();
    test_overflow();
    return 0;
}
