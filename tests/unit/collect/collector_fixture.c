// SPDX-License-Identifier: Apache-2.0
#include "collector_fixture.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

static const struct filter filter = {.program_dir = "/folder"};

static int start_child(void)
{
    int pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that fails does not come to its end
        for (;;) {
            pause();
        }
    }
    assert_true(pid > 0);
    return pid;
}

void fixture_begin(struct fixture *fixture, const struct fixture_options *options)
{
    struct error err;
    *fixture = (struct fixture){.is_alive = options->is_alive};
    writer_run_begin(&fixture->run);
    int pid = options->is_alive ? start_child() : WRITER_GONE_PID;
    writer_open(&fixture->writer, &fixture->run, pid, options->is_alive ? getpid() : 1);
    struct collector_options collector_options = {
        .run_dir = fixture->run.folder,
        .filter = &filter,
        .period_s = WRITER_PERIOD_NS / 1e9,
        .has_stacks = true,
        .has_memory = options->has_memory,
        .has_leak_detector = options->has_leak_detector,
        .start_ns = fixture->run.start_ns,
        .root_pid = pid,
    };
    assert_true(collector_new(&fixture->collector, &collector_options, &err));
    writer_thread_begin(&fixture->writer, pid, 0);
}

void fixture_add_codes(struct fixture *fixture)
{
    writer_code(&fixture->writer, 1, FIXTURE_FILE, "work", 10, 20);
    writer_code(&fixture->writer, 2, "/usr/lib/python3.12/json/decoder.py", "decode", 300, 5);
}

void fixture_collect(struct fixture *fixture)
{
    if (fixture->is_alive) {
        kill(fixture->writer.pid, SIGKILL);
        assert_int_equal(waitpid(fixture->writer.pid, NULL, 0), fixture->writer.pid);
    }
    collector_drain(fixture->collector);
    struct collector_ending ending = {.end_ns = fixture->writer.now_ns};
    collector_root_ended(fixture->collector, &ending);
    fixture->profile = profile_new();
    collector_fill(fixture->collector, fixture->profile);
}

void fixture_end(struct fixture *fixture)
{
    profile_free(fixture->profile);
    collector_free(fixture->collector);
    writer_close(&fixture->writer);
    writer_run_end(&fixture->run);
}

const struct profile_line *fixture_line(const struct profile *profile, const char *path, int number)
{
    for (size_t i = 0; i < profile->file_count; i++) {
        const struct profile_file *file = &profile->files[i];
        for (size_t j = 0; strcmp(file->path, path) == 0 && j < file->line_count; j++) {
            if (file->lines[j].number == number) {
                return &file->lines[j];
            }
        }
    }
    fail_msg("%s has no line %d", path, number);
    return NULL;
}

bool fixture_has_note(const struct profile *profile, const char *part)
{
    for (size_t i = 0; i < profile->quality.note_count; i++) {
        if (strstr(profile->quality.notes[i], part)) {
            return true;
        }
    }
    return false;
}

void assert_near(double found, double expected)
{
    if (fabs(found - expected) > 1e-9 * (1 + fabs(expected))) {
        fail_msg("%.9f instead of %.9f", found, expected);
    }
}
