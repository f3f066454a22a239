// SPDX-License-Identifier: Apache-2.0

// Hooks of buffered streams: the C library reads and writes for them without passing our hooks.

#include <errno.h>

#include "agent/descriptor.h"
#include "agent/hook.h"

static enum wait_kind stream_kind(const void *stream)
{
    int saved_errno = errno;
    enum wait_kind kind = descriptor_kind(fileno((FILE *)stream)); // -1 for streams in memory
    errno = saved_errno;
    return kind;
}

#define X(type, name, parameters, arguments, version)     \
    HOOK_DEFINE(type, name, parameters, arguments, false, \
                wait_end_lazily(&scope, stream_kind, stream))

HOOKS_STREAM(X)

#undef X

// Without a stream all are meant: mostly files.
int fflush(FILE *stream)
{
    struct wait_scope scope;
    wait_begin(&scope, false);
    int status = REAL(fflush)(stream);
    if (stream) {
        wait_end_lazily(&scope, stream_kind, stream);
    } else {
        wait_end(&scope, WAIT_DISK);
    }
    return status;
}

// The stream is gone afterwards, and its descriptor with it; the kind is asked before.
int fclose(FILE *stream)
{
    if (!wait_is_measured()) {
        return REAL(fclose)(stream);
    }
    enum wait_kind kind = stream_kind(stream);
    struct wait_scope scope;
    wait_begin(&scope, false);
    int status = REAL(fclose)(stream);
    wait_end(&scope, kind);
    return status;
}
