// SPDX-License-Identifier: Apache-2.0
#include "serve/stream.h"

#include <string.h>

#define BLOCK_SIZE 64

static const char beat[] = ":\n\n";
static const char goodbye[] = "event: gone\ndata:\n\n";

_Static_assert(sizeof goodbye < BLOCK_SIZE, "one block holds what a stream says");

static ssize_t say_goodbye(struct stream *stream, char *buf)
{
    if (stream->has_said_goodbye) {
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    stream->has_said_goodbye = true;
    memcpy(buf, goodbye, sizeof goodbye - 1);
    return sizeof goodbye - 1;
}

static ssize_t read_stream(void *context, uint64_t position, char *buf, size_t size)
{
    struct stream *stream = context;
    double now_s = stream->list->now_s();
    (void)position;
    if (stream->list->is_ending && size >= sizeof goodbye - 1) {
        return say_goodbye(stream, buf);
    }
    if (now_s < stream->next_beat_s || size < sizeof beat - 1) {
        stream->is_suspended = true;
        stream->list->library->MHD_suspend_connection(stream->connection);
        return 0;
    }
    stream->next_beat_s = now_s + STREAM_BEAT_S;
    memcpy(buf, beat, sizeof beat - 1);
    return sizeof beat - 1;
}

static void close_stream(void *context)
{
    struct stream *stream = context;
    struct stream_list *list = stream->list;
    stream->connection = NULL;
    list->count--;
    list->last_closed_s = list->now_s();
}

struct MHD_Response *stream_open(struct stream_list *list, struct MHD_Connection *connection)
{
    for (size_t i = 0; i < STREAM_MAX; i++) {
        struct stream *stream = &list->streams[i];
        if (stream->connection) {
            continue;
        }
        struct MHD_Response *response = list->library->MHD_create_response_from_callback(
            MHD_SIZE_UNKNOWN, BLOCK_SIZE, read_stream, stream, close_stream);
        if (response) {
            *stream = (struct stream){.list = list, .connection = connection};
            list->count++;
            list->has_had_one = true;
        }
        return response;
    }
    return NULL;
}

static void wake(struct stream *stream)
{
    stream->is_suspended = false;
    stream->list->library->MHD_resume_connection(stream->connection);
}

void stream_beat(struct stream_list *list)
{
    double now_s = list->now_s();
    for (size_t i = 0; i < STREAM_MAX; i++) {
        struct stream *stream = &list->streams[i];
        if (stream->connection && stream->is_suspended && now_s >= stream->next_beat_s) {
            wake(stream);
        }
    }
}

void stream_end_all(struct stream_list *list)
{
    list->is_ending = true;
    for (size_t i = 0; i < STREAM_MAX; i++) {
        if (list->streams[i].connection && list->streams[i].is_suspended) {
            wake(&list->streams[i]);
        }
    }
}
