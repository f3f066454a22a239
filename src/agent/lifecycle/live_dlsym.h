// SPDX-License-Identifier: Apache-2.0
#pragma once

// dlsym, with a look at what was loaded before it. It goes on in the original as if that had been
// called at once: who calls it decides what RTLD_NEXT means.
// Context: any thread

extern void *live_dlsym_original;

void live_dlsym(void);

// Called first.
void live_dlsym_called(void);
