// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "accel/source.h"
#include "unit.h"

struct channel {
    int ends[2];
    uint32_t device_count;
    struct source_out out;
};

static void open_channel(struct channel *channel)
{
    assert_int_equal(pipe2(channel->ends, O_NONBLOCK), 0);
    channel->device_count = 0;
    channel->out =
        (struct source_out){.fd = channel->ends[1], .device_count = &channel->device_count};
}

static void fill(struct channel *channel)
{
    while (channel->out.lost == 0) {
        source_tell_reading(&channel->out, 0, &(struct source_reading){.busy = 0.5});
    }
}

static bool take(struct channel *channel, struct message *message)
{
    return read(channel->ends[0], message, sizeof *message) == (ssize_t)sizeof *message;
}

static void readings_for_which_there_is_no_room_are_counted(void **state)
{
    (void)state;
    struct channel channel;
    struct message message;
    open_channel(&channel);
    fill(&channel);
    source_tell_alive(&channel.out);
    assert_int_equal(channel.out.lost, 2);
    while (take(&channel, &message)) {
        assert_int_equal(message.lost, 0);
    }
    source_tell_alive(&channel.out);
    assert_true(take(&channel, &message));
    assert_int_equal(message.lost, 2);
    assert_false(channel.out.is_broken);
    close(channel.ends[0]);
    close(channel.ends[1]);
}

static void *take_until_note(void *context)
{
    struct channel *channel = context;
    static struct message message;
    bool has_device = false;
    for (;;) {
        if (take(channel, &message)) {
            has_device |= message.type == MESSAGE_DEVICE;
            if (message.type == MESSAGE_NOTE) {
                return has_device ? &message : NULL;
            }
        }
    }
}

static void devices_and_notes_are_not_lost(void **state)
{
    (void)state;
    struct channel channel;
    pthread_t listener;
    void *result;
    open_channel(&channel);
    fill(&channel);
    assert_int_equal(pthread_create(&listener, NULL, take_until_note, &channel), 0);
    assert_int_equal(source_tell_device(&channel.out, &(struct source_device){.name = "one"}), 0);
    source_note(&channel.out, "and a note");
    pthread_join(listener, &result);
    assert_non_null(result);
    assert_string_equal(((struct message *)result)->text, "and a note");
    close(channel.ends[0]);
    close(channel.ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readings_for_which_there_is_no_room_are_counted),
        cmocka_unit_test(devices_and_notes_are_not_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
