// SPDX-License-Identifier: Apache-2.0
// usage: make-manual docs/scalene.1.in >docs/scalene.1
// Fills what the tables of commands and options say into the manual page. Built beside scalene.

#include <stdio.h>

#include "cli/config.h"
#include "cli/manual.h"
#include "cli/message.h"

int main(int argc, char **argv)
{
    struct text frame = {0};
    struct text page = {0};
    struct error err;
    if (argc != 2) {
        message_print("usage: make-manual FRAME >PAGE");
        return 2;
    }
    if (!config_read_text(argv[1], &frame, &err) || !manual_add(&page, frame.data, &err)) {
        message_print("%s", err.text);
        return 1;
    }
    fputs(page.data, stdout);
    text_clear(&page);
    text_clear(&frame);
    return 0;
}
