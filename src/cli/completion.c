// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <stddef.h>

const struct completion_shell completion_shells[] = {
    {"bash", completion_add_bash},
    {"zsh", completion_add_zsh},
    {"fish", completion_add_fish},
    {NULL, NULL},
};
