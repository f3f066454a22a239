// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a thread waits for when it waits for a descriptor: sockets are the network, regular files
// and block devices the disk, all else (pipes, terminals, eventfds, other devices) a pipe.
// Context: any thread, signal handler

#include "wire/record.h"

enum wait_kind descriptor_kind(int fd);
