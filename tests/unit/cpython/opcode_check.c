// SPDX-License-Identifier: Apache-2.0

// Prints the class of each opcode of a minor version: what opcodes_of_every_python.py compares.

#include <stdio.h>
#include <stdlib.h>

#include "agent/cpython/opcodes.h"

int main(int argument_count, char **arguments)
{
    if (argument_count != 2) {
        return 2;
    }
    int minor = atoi(arguments[1]);
    for (int opcode = 0; opcode < 256; opcode++) {
        printf("%d\n", (int)opcodes_class(minor, (uint8_t)opcode));
    }
    return 0;
}
