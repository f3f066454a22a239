// SPDX-License-Identifier: Apache-2.0
// Memory of threads that run no Python.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4 };

struct work {
    long blocks;
    long size;
    long kept;
};

static void *allocate(void *argument)
{
    struct work *work = argument;
    for (long i = 0; i < work->blocks; i++) {
        char *block = malloc(work->size);
        memset(block, 1, work->size);
        if (i >= work->kept) {
            free(block);
        }
    }
    return NULL;
}

// Each of four threads allocates so many blocks, and keeps the first `kept` for ever.
void native_threads(long blocks, long size, long kept)
{
    struct work work = {blocks, size, kept};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, allocate, &work);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}
