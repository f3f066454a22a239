// SPDX-License-Identifier: Apache-2.0
#pragma once

// The interpreter's own allocators, wrapped: its small objects come out of pools that malloc does
// not see one by one. What malloc sees is only marked as Python's. Nothing is put in front of the
// objects, and a block may be had through a wrapper and given back past it, or the other way round.
// What the interpreter maps for its pools counts in the footprint and is not sampled.

// Wraps them. Context: holds the GIL.
void allocators_install(void);

// Takes the wrappers away again, where nobody has put others above them; left there they only pass
// on. Context: holds the GIL.
void allocators_remove(void);

// Puts the wrappers back where they were thrown out (tracemalloc.stop, when it was on before us).
// Context: any thread
void allocators_look(void);
