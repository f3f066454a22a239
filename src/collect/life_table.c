// SPDX-License-Identifier: Apache-2.0
#include "collect/life_table.h"

#include <math.h>

static unsigned cell(unsigned birth, unsigned end)
{
    return end * (end + 1) / 2 + birth;
}

void life_reach(struct life_table *table, unsigned window)
{
    while (table->window < window) {
        table->troughs[++table->window] = (float)table->live;
    }
}

static void change(struct life_table *table, unsigned birth, double bytes)
{
    table->alive[birth] = fmaxf(0, table->alive[birth] + (float)bytes);
    table->live = fmax(0, table->live + bytes);
    float *trough = &table->troughs[table->window];
    *trough = fminf(*trough, (float)table->live);
}

void life_begin(struct life_table *table, unsigned birth, double bytes)
{
    change(table, birth, bytes);
    table->bytes += bytes;
    table->squares += bytes * bytes;
}

double life_end(struct life_table *table, unsigned birth, double bytes)
{
    double taken = fmin(bytes, (double)table->alive[birth]);
    change(table, birth, -taken);
    table->ended[cell(birth, table->window)] += (float)taken;
    return taken;
}

void life_restate(struct life_table *table, unsigned birth, double from_bytes, double to_bytes)
{
    change(table, birth, to_bytes - from_bytes);
    table->bytes = fmax(0, table->bytes + to_bytes - from_bytes);
    table->squares = fmax(0, table->squares + to_bytes * to_bytes - from_bytes * from_bytes);
}

// Cells move to smaller places only, in the order of these: none is overwritten before it is read.
static void widen_once(struct life_table *table)
{
    for (unsigned end = 0; end < LIFE_WINDOWS; end++) {
        for (unsigned birth = 0; birth <= end; birth++) {
            float bytes = table->ended[cell(birth, end)];
            table->ended[cell(birth, end)] = 0;
            table->ended[cell(birth / 2, end / 2)] += bytes;
        }
    }
    for (unsigned birth = 0; birth < LIFE_WINDOWS; birth++) {
        float bytes = table->alive[birth];
        table->alive[birth] = 0;
        table->alive[birth / 2] += bytes;
    }
    for (unsigned i = 0; i < LIFE_WINDOWS / 2; i++) {
        table->troughs[i] = fminf(table->troughs[2 * i], table->troughs[2 * i + 1]);
    }
    table->window /= 2;
    table->doublings++;
}

void life_widen(struct life_table *table, unsigned doublings)
{
    while (table->doublings < doublings) {
        life_reach(table, LIFE_WINDOWS - 1);
        widen_once(table);
    }
}

double life_ended(const struct life_table *table, unsigned birth, unsigned end)
{
    return (double)table->ended[cell(birth, end)];
}

double life_alive_after(const struct life_table *table, unsigned birth, unsigned end)
{
    double alive = birth <= end ? (double)table->alive[birth] : 0;
    for (unsigned later = end + 1; birth <= end && later < LIFE_WINDOWS; later++) {
        alive += life_ended(table, birth, later);
    }
    return alive;
}

double life_born(const struct life_table *table, unsigned birth)
{
    return life_alive_after(table, birth, birth) + life_ended(table, birth, birth);
}

double life_block(const struct life_table *table)
{
    return table->bytes > 0 ? table->squares / table->bytes : 0;
}
