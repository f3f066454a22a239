// SPDX-License-Identifier: Apache-2.0
#include "cli/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "profile/utf8.h"

static void make_harmless(char *text)
{
    char *end = text;
    size_t len = strlen(text);
    for (size_t at = 0; at < len;) {
        uint32_t point;
        size_t used = utf8_read(text + at, len - at, &point);
        if (utf8_is_control(point) || (point == UTF8_REPLACEMENT && used == 1)) {
            *end++ = '?';
        } else {
            memmove(end, text + at, used);
            end += used;
        }
        at += used;
    }
    *end = '\0';
}

void message_print(const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    make_harmless(text);
    fprintf(stderr, "scalene: %s\n", text);
}
