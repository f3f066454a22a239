// SPDX-License-Identifier: Apache-2.0
#include "profile/reason.h"

#include "profile/record.h"

static bool has_listed_file(const struct profile *profile)
{
    for (size_t i = 0; i < profile->file_count; i++) {
        if (record_is_listed(profile, &profile->files[i])) {
            return true;
        }
    }
    return false;
}

static const struct profile_process *unprofiled_root(const struct profile *profile)
{
    for (size_t i = 0; i < profile->process_count; i++) {
        if (profile->processes[i].is_profiled) {
            return NULL;
        }
    }
    return profile->process_count > 0 ? &profile->processes[0] : NULL;
}

static void add_too_short(const struct profile *profile, struct text *out)
{
    double cpu_ms = 1000 * profile_times_cpu_s(&profile->totals);
    if (profile->cpu_kernel_says_s > 0) {
        cpu_ms = 1000 * profile->cpu_kernel_says_s;
    }
    text_format(out, "No sample was taken: the program used %.0f ms of CPU time in %.2f s", cpu_ms,
                profile->elapsed_s);
    if (profile->quality.interval_asked_s > 0) {
        text_format(out, ", and one sample is taken every %g ms of it",
                    1000 * profile->quality.interval_asked_s);
    }
    text_add(out, ". Let it run longer, or sample more often with --cpu-sampling-rate.");
}

bool reason_of_emptiness(const struct profile *profile, struct text *out)
{
    if (has_listed_file(profile)) {
        return false;
    }
    const struct profile_process *root = unprofiled_root(profile);
    if (root) {
        text_format(out, "No process could be profiled: %s.",
                    root->why_not ? root->why_not : "the interpreter was not recognised");
    } else if (profile->quality.cpu_samples == 0 && profile->file_count == 0) {
        add_too_short(profile, out);
    } else if (profile->file_count == 0 && profile->rest.file_count == 0) {
        text_format(
            out,
            "None of the %llu samples lies in a profiled file; those below %s are, "
            "but for libraries. --profile-all shows all files, --program-path another folder's.",
            (unsigned long long)profile->quality.cpu_samples,
            profile->program_dir && profile->program_dir[0] ? profile->program_dir
                                                            : "the program's folder");
    } else {
        text_format(out,
                    "No file has %g %% of the time or more, so none is listed; "
                    "--cpu-percent-threshold 0 lists all.",
                    profile->cpu_percent_threshold);
    }
    return true;
}
