// SPDX-License-Identifier: Apache-2.0
#include "collect/kind.h"

#include <string.h>

bool kind_is_system_call(const struct record_sample *sample)
{
    bool is_after = sample->code[0] == 0x0f && sample->code[1] == 0x05;
    bool is_on = sample->code[2] == 0x0f && sample->code[3] == 0x05;
    return (sample->flags & SAMPLE_IN_CALL) || is_after || is_on;
}

// The C library and the loader work for everybody: they say nothing about who called.
static bool is_common_library(const struct image *image)
{
    static const char *const names[] = {"libc.so",  "libc-2",          "libm.so",    "libm-2",
                                        "ld-linux", "libpthread",      "linux-vdso", "[vdso]",
                                        "ld-2",     "libscalene-agent"};
    const char *path = image_path(image);
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(name, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

static enum address_role role_of(const struct kind_roles *roles, const struct unwind_frame *frame)
{
    uint64_t known = map_get(&roles->roles, frame->function);
    if (known != 0) {
        return (enum address_role)(known - 1);
    }
    if (!roles->entry_points || frame->image != roles->interpreter) {
        return ADDRESS_ROLE_COUNT;
    }
    switch (entry_points_role(roles->entry_points, frame->function - frame->bias)) {
    case ENTRY_ROLE_ENTRY:
        return ADDRESS_ENTRY;
    case ENTRY_ROLE_TRAMPOLINE:
        return ADDRESS_TRAMPOLINE;
    case ENTRY_ROLE_DEALLOC:
        return ADDRESS_DEALLOC;
    default:
        return ADDRESS_ROLE_COUNT;
    }
}

// Interpreted code makes exceptions and plain objects through the same trampolines.
static bool is_excluded(const struct kind_roles *roles, const struct unwind_frame *frame)
{
    enum address_role role = role_of(roles, frame);
    if (role == ADDRESS_NOT_ENTRY || role == ADDRESS_PYTHON_CALL) {
        return true;
    }
    return roles->entry_points && frame->image == roles->interpreter && frame->function != 0 &&
           entry_points_is_excluded(roles->entry_points, frame->function - frame->bias);
}

static bool is_eval_frame(const struct kind_roles *roles, const struct record_sample *sample,
                          const struct unwind_frame *frame)
{
    if (sample->mark != 0 && frame->cfa != 0) {
        return frame->cfa > sample->mark;
    }
    if (frame->cfa == 0 && frame->ip - roles->eval_start < roles->eval_end - roles->eval_start) {
        return true;
    }
    return frame->function != 0 && frame->function == roles->eval_start;
}

static size_t find_eval(const struct kind_roles *roles, const struct record_sample *sample,
                        const struct unwind_frame *chain, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_eval_frame(roles, sample, &chain[i])) {
            return i;
        }
    }
    return count;
}

// Whether the frames between the leaf and the loop are a C function that the line called.
static bool is_native_chain(const struct kind_roles *roles, const struct record_sample *sample,
                            const struct unwind_frame *chain, size_t count, bool *is_freeing)
{
    bool is_call = sample->opcode_class == OPCODE_CALL || sample->opcode_class == OPCODE_C_CALL;
    for (size_t i = 0; i < count; i++) {
        if (!chain[i].image) {
            continue; // generated code: no file tells whose
        }
        if (chain[i].image != roles->interpreter && !is_common_library(chain[i].image)) {
            return true;
        }
        switch (role_of(roles, &chain[i])) {
        case ADDRESS_ENTRY:
            return true;
        case ADDRESS_TRAMPOLINE:
            if (i > 0 && is_call && !is_excluded(roles, &chain[i - 1])) {
                return true;
            }
            break;
        case ADDRESS_DEALLOC:
            *is_freeing = true;
            break;
        default:
            break;
        }
    }
    return false;
}

struct kind_verdict kind_judge(const struct kind_roles *roles, const struct record_sample *sample,
                               const struct unwind_frame *chain, size_t count)
{
    size_t eval = find_eval(roles, sample, chain, count);
    struct kind_verdict verdict = {.kind = KIND_HELPER, .native_count = eval};
    if (sample->frame_count > 0) {
        verdict.instruction = ((const struct record_frame *)(sample + 1))->offset;
    }
    if (kind_is_system_call(sample)) {
        verdict.kind = KIND_SYSTEM;
        return verdict;
    }
    if (sample->frame_count == 0) {
        verdict.kind = KIND_NATIVE;
        return verdict;
    }
    if (count == 0) {
        return verdict;
    }
    if (eval == 0) {
        verdict.kind = KIND_EVAL;
        return verdict;
    }
    if (is_native_chain(roles, sample, chain, eval, &verdict.is_freeing)) {
        verdict.kind = KIND_NATIVE;
        return verdict;
    }
    if (sample->flags & SAMPLE_IN_GC) {
        verdict.kind = KIND_EVAL; // whatever line it strikes: by definition Python
        return verdict;
    }
    bool called_indirectly = eval < count && chain[eval].call == UNWIND_CALL_INDIRECT;
    const struct unwind_frame *callee = &chain[eval - 1];
    bool is_own_work = role_of(roles, callee) == ADDRESS_DEALLOC || is_excluded(roles, callee);
    if (sample->opcode_class == OPCODE_C_CALL && called_indirectly && !is_own_work) {
        verdict.kind = KIND_NATIVE;
    }
    return verdict;
}
