// SPDX-License-Identifier: Apache-2.0
#include "collect/chance.h"

#include <math.h>

double chance_of_so_few(double count, double mean)
{
    double term = exp(-mean);
    double sum = term;
    for (int i = 1; i < count + 1; i++) {
        term *= mean / i;
        sum += term;
    }
    return fmin(1, sum);
}

// The logarithm of the integral of exp(-decay t) from 0 to 1.
static double log_integral(double decay)
{
    return decay < 1e-6 ? -decay / 2 : log(-expm1(-decay) / decay);
}

static double mean_under(double decay)
{
    return decay < 1e-6 ? 0.5 - decay / 12 : 1 / decay - 1 / expm1(decay);
}

// The decay between 0 and `highest` under which the mean is expected.
static double decay_of(double mean_time, double highest)
{
    double low = 0;
    double high = highest;
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        *(mean_under(middle) > mean_time ? &low : &high) = middle;
    }
    return low;
}

// Chernoff's bound, which for this family is exp(-count times the divergence of the decay that the
// mean suggests from the one supposed). Later than the middle is no stronger evidence than it.
double chance_of_so_late(double mean_time, double count, double decay)
{
    double mean = fmin(0.5, mean_time);
    if (mean <= mean_under(decay)) {
        return 1;
    }
    double likely = decay_of(mean, decay);
    double divergence = (decay - likely) * mean + log_integral(decay) - log_integral(likely);
    return exp(-count * fmax(0, divergence));
}

// Student's distribution has a closed form for an odd number of degrees of freedom.
static double student_tail(double t, size_t degrees)
{
    double angle = atan(t / sqrt((double)degrees));
    double cosine = cos(angle);
    double term = cosine;
    double sum = cosine;
    for (size_t i = 3; i < degrees; i += 2) {
        term *= cosine * cosine * (double)(i - 1) / (double)i;
        sum += term;
    }
    return fmax(0, 0.5 - (angle + sin(angle) * sum) / M_PI);
}

double chance_of_such_drift(const double *steps, size_t count)
{
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        sum += steps[i];
        squares += steps[i] * steps[i];
    }
    double mean = sum / (double)count;
    double variance = fmax(0, squares - sum * mean) / (double)(count - 1);
    if (mean <= 0) {
        return 1;
    }
    double t = variance > 0 ? mean / sqrt(variance / (double)count) : INFINITY;
    return student_tail(t, count - 1);
}
