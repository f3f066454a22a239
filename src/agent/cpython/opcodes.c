// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/opcodes.h"

#include <stdbool.h>
#include <stddef.h>

#define RANGES_MAX 14

// First and last opcode of a run; {0, 0} ends the list.
struct range {
    uint8_t first;
    uint8_t last;
};

// `calls`: instructions that call or iterate, specialised and instrumented forms included.
// `c_calls`: of these, the ones specialised for a C function; not those that are done in line
// (len, isinstance, list.append, str, type, tuple of one argument).
struct opcode_row {
    int minor;
    struct range calls[RANGES_MAX];
    struct range c_calls[RANGES_MAX];
};

static const struct opcode_row table[] = {
    {8, {{68, 69}, {93, 93}, {131, 131}, {141, 142}, {161, 161}}, {{0, 0}}},
    {9, {{68, 69}, {93, 93}, {131, 131}, {141, 142}, {161, 161}}, {{0, 0}}},
    {10, {{68, 69}, {93, 93}, {131, 131}, {141, 142}, {161, 161}}, {{0, 0}}},
    {11,
     {{22, 24},
      {64, 69},
      {72, 73},
      {76, 81},
      {93, 93},
      {113, 113},
      {121, 121},
      {127, 127},
      {141, 143},
      {166, 166},
      {171, 171}},
     {{66, 67}, {72, 73}, {76, 76}, {80, 81}, {113, 113}}},
    {12,
     {{23, 24},
      {28, 29},
      {34, 34},
      {38, 48},
      {56, 56},
      {62, 65},
      {68, 69},
      {93, 93},
      {142, 142},
      {171, 171},
      {241, 241},
      {244, 244},
      {248, 248}},
     {{29, 29}, {34, 34}, {38, 40}, {44, 46}}},
    {13,
     {{19, 19}, {21, 21}, {53, 54}, {57, 57}, {72, 72}, {162, 181}, {187, 190}, {243, 246}},
     {{165, 168}, {172, 176}}},
    {14,
     {{4, 4},
      {16, 16},
      {19, 19},
      {52, 52},
      {55, 55},
      {70, 70},
      {143, 165},
      {171, 174},
      {237, 237},
      {250, 252}},
     {{146, 149}, {152, 152}, {156, 160}}},
    {15,
     {{4, 4},
      {50, 50},
      {53, 53},
      {68, 68},
      {70, 70},
      {144, 168},
      {174, 180},
      {236, 236},
      {249, 251}},
     {{147, 151}, {155, 155}, {159, 163}}},
};

static bool contains(const struct range *ranges, uint8_t opcode)
{
    for (size_t i = 0; i < RANGES_MAX && ranges[i].last != 0; i++) {
        if (opcode >= ranges[i].first && opcode <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

enum opcode_class opcodes_class(int minor, uint8_t opcode)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].minor == minor) {
            if (contains(table[i].c_calls, opcode)) {
                return OPCODE_C_CALL;
            }
            return contains(table[i].calls, opcode) ? OPCODE_CALL : OPCODE_OTHER;
        }
    }
    return OPCODE_UNKNOWN;
}
