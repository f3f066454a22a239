// SPDX-License-Identifier: Apache-2.0
#pragma once

// When the bytes that a line allocated came and went: how many that were born in one window of time
// ended in another, and how many of each window are alive. Bounded: when the windows are used up,
// every two become one. All that a leak is judged by follows from it. Zero-initialised is empty.

#define LIFE_WINDOWS 32u
#define LIFE_CELLS   (LIFE_WINDOWS * (LIFE_WINDOWS + 1) / 2)

struct life_table {
    float ended[LIFE_CELLS];     // bytes by birth and end: see life_ended
    float alive[LIFE_WINDOWS];   // by the window of their birth
    float troughs[LIFE_WINDOWS]; // the least that was alive at once in a window
    double live;                 // all that is alive
    double bytes;                // the weights of all blocks ...
    double squares;              // ... and of their squares
    unsigned window;             // the latest reached
    unsigned doublings;          // of the windows' width, so far
};

// Goes on to a window; one in which nothing happens holds what the last one ended with.
void life_reach(struct life_table *table, unsigned window);

// A part of a block: bytes that came in one window.
void life_begin(struct life_table *table, unsigned birth, double bytes);

// Ends bytes of a birth in the window reached; returns those that were there to end.
double life_end(struct life_table *table, unsigned birth, double bytes);

// What a block stands for has changed though nothing was allocated or freed.
void life_restate(struct life_table *table, unsigned birth, double from_bytes, double to_bytes);

// Joins every two windows until their width has doubled so often.
void life_widen(struct life_table *table, unsigned doublings);

double life_ended(const struct life_table *table, unsigned birth, unsigned end);

// All that was ever born in the window.
double life_born(const struct life_table *table, unsigned birth);

// Bytes of a birth that were alive when window `end` was over.
double life_alive_after(const struct life_table *table, unsigned birth, unsigned end);

// Bytes that one sampled block stands for: their mean over bytes, so that many small blocks beside
// a large one do not pass for many.
double life_block(const struct life_table *table);
