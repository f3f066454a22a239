// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "profile/profile.h"
#include "profile/trace.h"
#include "profile/xplane.h"
#include "unit.h"

// As torch.profiler writes it: a function of Python, an operator with another inside, a kernel.
static const char torch_trace[] =
    "{\"schemaVersion\":1,\"traceEvents\":["
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"train.py(7): "
    "step\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1000},"
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"/lib/site-packages/torch/nn.py(9): "
    "forward\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":900},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::linear\",\"pid\":1,\"tid\":1,\"ts\":10,"
    "\"dur\":500,\"args\":{\"External id\":3}},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::addmm\",\"pid\":1,\"tid\":1,\"ts\":20,"
    "\"dur\":400,\"args\":{\"External id\":4}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"sgemm_128\",\"pid\":0,\"tid\":7,\"ts\":300,"
    "\"dur\":2500.5,\"args\":{\"External id\":4}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"alone\",\"pid\":0,\"tid\":7,\"ts\":3000,\"dur\":"
    "100},"
    "{\"ph\":\"i\",\"name\":\"mark\",\"pid\":1,\"tid\":1,\"ts\":5}]}";

static const char jax_trace[] =
    "{\"traceEvents\":["
    "{\"ph\":\"M\",\"pid\":9,\"name\":\"process_name\",\"args\":{\"name\":\"/device:GPU:0\"}},"
    "{\"ph\":\"X\",\"pid\":9,\"tid\":1,\"ts\":5,\"dur\":1000,\"name\":\"fusion.1\",\"args\":{\"hlo_"
    "op\":\"fusion.1\",\"source\":\"/x/net.py:12\"}},"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":2000,\"name\":\"$net.py:3 main\"},"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1000,\"name\":\"$api.py:9 call\"},"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":100,\"name\":\"PjitFunction(f)\"}]}";

static char folder[] = "/tmp/scalene-trace-XXXXXX";

static void write_file(char path[256], const char *name, const char *text, bool is_packed)
{
    snprintf(path, 256, "%s/%s", folder, name);
    gzFile file = gzopen(path, is_packed ? "wb" : "wbT");
    gzwrite(file, text, (unsigned)strlen(text));
    gzclose(file);
}

static const struct profile_operator *find(const struct profile *profile, const char *name,
                                           bool is_device)
{
    for (size_t i = 0; i < profile->operators.count; i++) {
        const struct profile_operator *one = &profile->operators.list[i];
        if (strcmp(one->name, name) == 0 && one->is_device == is_device) {
            return one;
        }
    }
    return NULL;
}

static void check(const struct profile_operator *one, double seconds, const char *file, int line)
{
    assert_non_null(one);
    assert_true(fabs(one->seconds - seconds) < 1e-9);
    if (file) {
        assert_string_equal(one->file, file);
        assert_int_equal(one->line, line);
    } else {
        assert_null(one->file);
    }
}

static void kernels_belong_to_operators_and_these_to_lines(void **state)
{
    (void)state;
    for (int is_packed = 0; is_packed < 2; is_packed++) {
        char path[256];
        struct error err;
        struct profile *profile = profile_new();
        profile_file(profile, "/home/me/train.py");
        write_file(path, is_packed ? "a.pt.trace.json.gz" : "a.json", torch_trace, is_packed);
        assert_true(trace_add(profile, path, &err));
        assert_int_equal(profile->operators.count, 4);
        assert_string_equal(profile->operators.list[0].name, "aten::addmm"); // most first
        check(find(profile, "aten::addmm", true), 0.0025005, "/home/me/train.py", 7);
        check(find(profile, "aten::addmm", false), 0.0004, "/home/me/train.py", 7);
        check(find(profile, "aten::linear", false), 0.0001, "/home/me/train.py", 7);
        check(find(profile, "alone", true), 0.0001, NULL, 0);
        profile_free(profile);
        unlink(path);
    }
}

static void devices_of_jax_are_processes(void **state)
{
    (void)state;
    char path[256];
    struct error err;
    struct profile *profile = profile_new();
    profile_file(profile, "/x/net.py");
    write_file(path, "b.trace.json.gz", jax_trace, true);
    assert_true(trace_add(profile, folder, &err)); // the only one in the folder
    check(find(profile, "fusion.1", true), 0.001, "/x/net.py", 12);
    check(find(profile, "PjitFunction(f)", false), 0.0001, "/x/net.py", 3);
    profile_free(profile);
    unlink(path);
}

// As JAX writes it for a GPU: kernels stream by stream, and told once more as modules and
// operators.
static const char gpu_trace[] =
    "{\"traceEvents\":["
    "{\"ph\":\"M\",\"pid\":9,\"name\":\"process_name\",\"args\":{\"name\":\"/device:GPU:0\"}},"
    "{\"ph\":\"M\",\"pid\":9,\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":\"Stream "
    "#7(Compute)\"}},"
    "{\"ph\":\"M\",\"pid\":9,\"tid\":2,\"name\":\"thread_name\",\"args\":{\"name\":\"XLA "
    "Modules\"}},"
    "{\"ph\":\"M\",\"pid\":9,\"tid\":3,\"name\":\"thread_name\",\"args\":{\"name\":\"XLA Ops\"}},"
    "{\"ph\":\"M\",\"pid\":8,\"name\":\"process_name\",\"args\":{\"name\":\"/device:TPU:0\"}},"
    "{\"ph\":\"M\",\"pid\":8,\"tid\":3,\"name\":\"thread_name\",\"args\":{\"name\":\"XLA Ops\"}},"
    "{\"ph\":\"X\",\"pid\":9,\"tid\":1,\"ts\":5,\"dur\":1000,\"name\":\"gemm\",\"args\":{\"hlo_"
    "op\":"
    "\"dot.1\"}},"
    "{\"ph\":\"X\",\"pid\":9,\"tid\":2,\"ts\":5,\"dur\":1000,\"name\":\"jit_step\"},"
    "{\"ph\":\"X\",\"pid\":9,\"tid\":3,\"ts\":5,\"dur\":1000,\"name\":\"dot.1\"},"
    "{\"ph\":\"X\",\"pid\":8,\"tid\":3,\"ts\":5,\"dur\":500,\"name\":\"fusion.2\"},"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":1,\"name\":\"end: dot.1\"}]}";

static void what_is_told_twice_counts_once(void **state)
{
    (void)state;
    char path[256];
    struct error err;
    struct profile *profile = profile_new();
    write_file(path, "d.trace.json", gpu_trace, false);
    assert_true(trace_add(profile, path, &err));
    assert_int_equal(profile->operators.count, 2);
    check(find(profile, "dot.1", true), 0.001, NULL, 0);
    check(find(profile, "fusion.2", true), 0.0005, NULL, 0);
    profile_free(profile);
    unlink(path);
}

// A plane "/device:GPU:0" with a line at 2 us, in it an event of 3 us called "k", and its operator
// "dot" by reference; names stand behind the line that uses them.
static const char plane_trace[] = "\x0a\x4f"
                                  "\x12\x0d/device:GPU:0"
                                  "\x1a\x16\x08\x07\x18\xd0\x0f\x22\x0f"
                                  "\x08\x01\x10\x0a\x18\xc0\x8d\xb7\x01\x22\x04\x08\x05\x38\x06"
                                  "\x22\x09\x08\x01\x12\x05\x08\x01\x12\x01k"
                                  "\x2a\x0e\x08\x05\x12\x0a\x08\x05\x12\x06hlo_op"
                                  "\x2a\x0b\x08\x06\x12\x07\x08\x06\x12\x03"
                                  "dot";

static void planes_are_read_as_events(void **state)
{
    (void)state;
    json_t *root = NULL;
    struct error err;
    assert_true(xplane_read(&root, plane_trace, sizeof plane_trace - 1, &err));
    json_t *events = json_object_get(root, "traceEvents");
    assert_int_equal(json_array_size(events), 3);
    json_t *event = json_array_get(events, 2);
    assert_string_equal(json_string_value(json_object_get(event, "name")), "k");
    assert_true(fabs(json_number_value(json_object_get(event, "dur")) - 3) < 1e-9);
    assert_true(fabs(json_number_value(json_object_get(event, "ts")) - 2.00001) < 1e-9);
    json_t *args = json_object_get(event, "args");
    assert_string_equal(json_string_value(json_object_get(args, "hlo_op")), "dot");
    json_decref(root);
}

static void a_plane_that_was_cut_is_refused(void **state)
{
    (void)state;
    for (size_t len = 1; len < sizeof plane_trace - 1; len++) {
        json_t *root = NULL;
        struct error err;
        assert_false(xplane_read(&root, plane_trace, len, &err));
        assert_null(root);
        assert_non_null(strstr(err.text, "not written to its end"));
    }
}

static void what_is_no_trace_is_refused_with_a_sentence(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "[",
                                        "[]",
                                        "{}",
                                        "7",
                                        "{\"traceEvents\":5}",
                                        "{\"traceEvents\":[1,null,{\"ph\":\"X\"}]}",
                                        "\x1f\x8b\x08 broken"};
    struct error err;
    char path[256];
    struct profile *profile = profile_new();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_file(path, "c.trace.json", texts[i], false);
        bool is_added = trace_add(profile, path, &err);
        assert_true(is_added ? i == 6 : err.text[0] != '\0');
        unlink(path);
    }
    assert_false(trace_add(profile, "/nowhere/x.json", &err));
    assert_false(trace_add(profile, folder, &err));
    assert_non_null(strstr(err.text, "wrote no trace"));
    profile_free(profile);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_belong_to_operators_and_these_to_lines),
        cmocka_unit_test(devices_of_jax_are_processes),
        cmocka_unit_test(what_is_told_twice_counts_once),
        cmocka_unit_test(planes_are_read_as_events),
        cmocka_unit_test(a_plane_that_was_cut_is_refused),
        cmocka_unit_test(what_is_no_trace_is_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
