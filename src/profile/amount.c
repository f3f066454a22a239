// SPDX-License-Identifier: Apache-2.0
#include "profile/amount.h"

void amount_duration(struct text *out, double seconds)
{
    if (seconds < 0.0995) {
        text_format(out, seconds < 0.0005 ? "<1ms" : "%.0fms", seconds * 1000);
    } else if (seconds < 9.995) {
        text_format(out, "%.2fs", seconds);
    } else if (seconds < 99.95) {
        text_format(out, "%.1fs", seconds);
    } else if (seconds < 999.5) {
        text_format(out, "%.0fs", seconds);
    } else if (seconds < 59970) {
        text_format(out, "%.0fm", seconds / 60);
    } else {
        text_format(out, "%.0fh", seconds / 3600);
    }
}

void amount_percent(struct text *out, double percent)
{
    if (percent >= 0.95) {
        text_format(out, "%.0f%%", percent);
    } else if (percent >= 0.05) {
        text_format(out, "%.1f%%", percent);
    } else if (percent > 0) {
        text_add(out, "<0.1%");
    }
}

void amount_size(struct text *out, double mb)
{
    double kb = mb * 1024;
    if (mb >= 1023.5) {
        text_format(out, mb < 102400 ? "%.2fG" : "%.0fG", mb / 1024);
    } else if (mb >= 0.9995) {
        text_format(out, mb < 9.95 ? "%.1fM" : "%.0fM", mb);
    } else if (mb > 0) {
        text_format(out, kb < 0.5 ? "<1K" : "%.0fK", kb);
    }
}
