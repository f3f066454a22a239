// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the process that reads devices tells the collector, through a pipe. Messages are as long as
// each other and shorter than PIPE_BUF, so that none is ever half there.

#include <stdint.h>

enum message_type {
    MESSAGE_DEVICE = 1, // a device that the program uses: its number, and what it is
    MESSAGE_READING,    // of a device
    MESSAGE_PROCESS,    // what one process had of all devices of a source
    MESSAGE_FAILURE,    // a reading of a device that could not be had
    MESSAGE_NOTE,       // a sentence for the profile
    MESSAGE_ALIVE,      // every driver has answered: none hangs
};

// Whose work the figure is of.
enum message_scope {
    MESSAGE_SCOPE_NONE,    // it cannot be measured
    MESSAGE_SCOPE_DEVICE,  // of all processes of the machine
    MESSAGE_SCOPE_PROCESS, // of the program's alone
};

// Whether processes that are not the program's used the device meanwhile.
enum message_others {
    MESSAGE_OTHERS_UNKNOWN,
    MESSAGE_OTHERS_NONE,
    MESSAGE_OTHERS_PRESENT,
};

#define MESSAGE_VENDOR_SIZE 16
#define MESSAGE_NAME_SIZE   80
#define MESSAGE_ID_SIZE     64
#define MESSAGE_TEXT_SIZE   256

struct message {
    uint32_t type;
    uint32_t device; // numbers are given in order, from 0 up
    uint32_t source;
    int32_t pid;
    uint32_t scope;        // of `busy`
    uint32_t memory_scope; // of `memory_mb`
    uint32_t lost;         // messages of that source until now, for which there was no room
    uint32_t others;       // enum message_others
    double begin_s;        // CLOCK_MONOTONIC: the time that a reading stands for
    double end_s;
    double busy; // the part of that time, 0 to 1; of several devices the mean
    double memory_mb;
    double total_mb; // of a device's memory; 0: not known
    char vendor[MESSAGE_VENDOR_SIZE];
    char name[MESSAGE_NAME_SIZE];
    char id[MESSAGE_ID_SIZE]; // UUID or PCI address
    char text[MESSAGE_TEXT_SIZE];
};
