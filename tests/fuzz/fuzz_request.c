// SPDX-License-Identifier: Apache-2.0
// What a request asks for: the input is method, path, Host, Origin, Sec-Fetch-Site, Content-Type,
// Sec-Fetch-Mode and Sec-Fetch-Dest, a line each; a header whose line is empty is not there.
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "serve/request.h"

#define FIELDS        8
#define HEADERS_FIRST 2
#define FILE_COUNT    3

static const struct request_guard guard = {.token = "0123456789abcdef0123456789abcdef",
                                           .file_count = FILE_COUNT};

// Anything that is answered has the token, a loopback name and a file that exists.
static void check(const struct request *request, const struct request_answer *answer)
{
    if (answer->route == REQUEST_REFUSED) {
        if (answer->status < 400 || !answer->text) {
            abort();
        }
        return;
    }
    if (answer->status != 200 || !request->host || !strstr(request->path, guard.token) ||
        (answer->route == REQUEST_SOURCE && answer->file >= FILE_COUNT) ||
        (answer->route >= REQUEST_PROMPT && !request->origin)) {
        abort();
    }
    if (request->fetch_site && strcmp(request->fetch_site, "cross-site") == 0 &&
        (answer->route != REQUEST_PAGE || !request->fetch_mode)) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    const char *fields[FIELDS] = {"", ""};
    if (!text) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    char *rest = text;
    for (int i = 0; i < FIELDS && rest; i++) {
        const char *line = strsep(&rest, "\n");
        fields[i] = line[0] || i < HEADERS_FIRST ? line : NULL;
    }
    struct request request = {.method = fields[0],
                              .path = fields[1],
                              .host = fields[2],
                              .host_count = 1,
                              .origin = fields[3],
                              .fetch_site = fields[4],
                              .content_type = fields[5],
                              .fetch_mode = fields[6],
                              .fetch_dest = fields[7]};
    struct request_answer answer = request_route(&guard, &request);
    check(&request, &answer);
    free(text);
    return 0;
}
