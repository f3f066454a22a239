// SPDX-License-Identifier: Apache-2.0
#include "collect/gpu_call.h"
#include "unit.h"

static void calls_that_return_at_once_wait_for_nothing(void **state)
{
    (void)state;
    static const char *const waiting[] = {"cuStreamSynchronize",
                                          "cuStreamSynchronize_ptsz",
                                          "cudaDeviceSynchronize",
                                          "cudaMemcpy",
                                          "cuMemcpyDtoH_v2",
                                          "cudaMemcpyAsync",
                                          "cudaMemcpyAsync_ptsz",
                                          "cuMemcpyDtoHAsync_v2",
                                          "cuMemcpyAsync",
                                          "hipMemcpyAsync",
                                          "hipMemcpyDtoHAsync",
                                          "hipDeviceSynchronize",
                                          "clFinish",
                                          "nrt_execute",
                                          "hsa_signal_wait_scacquire",
                                          "zeEventHostSynchronize"};
    static const char *const others[] = {"cuLaunchKernel",
                                         "cuMemcpyHtoDAsync_v2",
                                         "cuMemcpyDtoDAsync_v2",
                                         "cudaMemcpyPeerAsync",
                                         "cudaMemsetAsync",
                                         "hipMemcpyHtoDAsync",
                                         "cuStreamWaitEvent",
                                         "clFinished",
                                         "hipLaunchKernel",
                                         "cuMemAlloc_v2",
                                         "poll",
                                         ""};
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++) {
        assert_true(gpu_calls_waits(waiting[i]));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(gpu_calls_waits(others[i]));
    }
}

static void vendors_libraries_are_known_by_name(void **state)
{
    (void)state;
    struct image_cache *images = image_cache_new();
    struct gpu_calls calls = {0};
    static const char *const runtimes[] = {
        "/usr/lib/libcuda.so.1", "/x/libcudart-abc.so.12", "/opt/rocm/lib/libamdhip64.so.6",
        "/y/libnrt.so.1",        "/usr/lib/libdrm.so.2",   "/usr/lib/libRusticlOpenCL.so.1"};
    static const char *const others[] = {"/usr/lib/libc.so.6",  "/x/libcublas.so.12",
                                         "/x/libtorch_cuda.so", "/opt/libcuda.so/python",
                                         "/usr/lib/libdl.so.2", "/x/libopenblas.so.0"};
    for (size_t i = 0; i < 6; i++) {
        assert_true(gpu_calls_is_runtime(&calls, image_cache_get(images, runtimes[i], 0)));
        assert_false(gpu_calls_is_runtime(&calls, image_cache_get(images, others[i], 0)));
        assert_true(gpu_calls_is_runtime(&calls, image_cache_get(images, runtimes[i], 0)));
    }
    assert_false(gpu_calls_is_runtime(&calls, NULL));
    gpu_calls_clear(&calls);
    image_cache_free(images);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_that_return_at_once_wait_for_nothing),
        cmocka_unit_test(vendors_libraries_are_known_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
