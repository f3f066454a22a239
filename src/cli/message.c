// SPDX-License-Identifier: Apache-2.0
#include "cli/message.h"

#include <stdarg.h>
#include <stdio.h>

void message_print(const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "scalene: %s\n", text);
}
