// SPDX-License-Identifier: Apache-2.0
#pragma once

// The name that the program gave a thread. It is an attribute of a Python object, which the
// thread's outermost function (Thread._bootstrap) has as its first local variable; nothing of
// Python's is called to read it. Context: the thread itself, in its signal handler or in a hook

#include <stdint.h>

#include "wire/ring.h"

// Sends it, if the outermost frame is that of a threading.Thread.
void thread_name_send(struct ring *ring, uintptr_t outermost_frame, int32_t tid);
