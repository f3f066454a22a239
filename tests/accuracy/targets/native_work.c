// SPDX-License-Identifier: Apache-2.0
// Computing outside Python: loaded by ctypes, which gives the GIL away (CDLL) or keeps it (PyDLL).

unsigned long native_work(unsigned long rounds);

unsigned long native_work(unsigned long rounds)
{
    unsigned long x = 88172645463325252ul;
    for (unsigned long i = 0; i < rounds; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}
