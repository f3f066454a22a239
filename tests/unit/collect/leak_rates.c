// SPDX-License-Identifier: Apache-2.0
// How often the detector reports each shape of program: leak_rates RUNS [FIRST_SEED]

#include <stdio.h>
#include <stdlib.h>

#include "leak_program.h"

int main(int argc, char **argv)
{
    uint64_t runs = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    for (size_t i = 0; i < program_shape_count; i++) {
        const struct shape *shape = &program_shapes[i];
        uint64_t found = 0;
        uint64_t wrong = 0;
        for (uint64_t seed = first; seed < first + runs; seed++) {
            struct leak_verdict verdicts[PROGRAM_LINES];
            program_judge(shape, seed, verdicts);
            for (unsigned line = 0; line < PROGRAM_LINES; line++) {
                *(shape->leaks >> line & 1 ? &found : &wrong) += verdicts[line].is_leak;
            }
        }
        printf("| %s | %s | %llu | %llu |\n", shape->name, shape->leaks ? "yes" : "no",
               (unsigned long long)found, (unsigned long long)wrong);
    }
}
