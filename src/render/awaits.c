// SPDX-License-Identifier: Apache-2.0
#include "render/awaits.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/amount.h"
#include "render/entry.h"
#include "render/sentence.h"

#define LISTED_MAX       10
#define TASKS_MAX        5
#define TASK_INDENT      4
#define TOLD_MAX         3    // of each, in plain sentences
#define NOTICEABLE_SHARE 0.01 // of all that was waited

static int compare_blocks(const void *left, const void *right)
{
    const struct profile_line *a = *(const struct profile_line *const *)left;
    const struct profile_line *b = *(const struct profile_line *const *)right;
    if (a->async.block_s != b->async.block_s) {
        return a->async.block_s > b->async.block_s ? -1 : 1;
    }
    return a->number - b->number;
}

bool awaits_exist(const struct profile *profile, const struct profile_file *file)
{
    double await_s = 0;
    for (size_t i = 0; i < file->line_count; i++) {
        await_s += file->lines[i].async.await_s;
        if (file->lines[i].async.block_count > 0) {
            return true;
        }
    }
    return await_s > 0 && await_s >= NOTICEABLE_SHARE * profile->await_s;
}

// "Line 12 kept the event loop from everything else 3 times, for 120 ms at the longest (300 ms in
// all)."
static void add_block(struct text *text, const struct profile_async *async)
{
    text_add(text, " kept the event loop from everything else ");
    if (async->block_count == 1) {
        text_add(text, "for ");
        sentence_duration(text, async->block_longest_s);
    } else {
        text_format(text, "%llu times, for ", (unsigned long long)async->block_count);
        sentence_duration(text, async->block_longest_s);
        text_add(text, " at the longest (");
        sentence_duration(text, async->block_s);
        text_add(text, " in all)");
    }
    text_add_char(text, '.');
}

static void add_sentence(struct canvas *canvas, const struct profile_line *line)
{
    struct text text = {0};
    text_format(&text, "Line %d", line->number);
    add_block(&text, &line->async);
    paint_paragraph(canvas, PAINT_HOT, text.data);
    text_clear(&text);
}

void awaits_render(struct canvas *canvas, const struct profile_file *file)
{
    const struct profile_line **blocks = mem_alloc((file->line_count + 1) * sizeof(void *));
    size_t count = 0;
    for (size_t i = 0; i < file->line_count; i++) {
        if (file->lines[i].async.block_count > 0) {
            blocks[count++] = &file->lines[i];
        }
    }
    qsort(blocks, count, sizeof(void *), compare_blocks);
    for (size_t i = 0; i < count && i < LISTED_MAX; i++) {
        add_sentence(canvas, blocks[i]);
    }
    if (count > LISTED_MAX) {
        struct text text = {0};
        text_format(&text, "and so did %zu more", count - LISTED_MAX);
        paint_paragraph(canvas, PAINT_DIM, text.data);
        text_clear(&text);
    }
    free(blocks);
}

static uint64_t tasks_left_out(const struct profile *profile, size_t shown)
{
    return profile->tasks_unlisted +
           (profile->task_count > shown ? profile->task_count - shown : 0);
}

void awaits_render_tasks(struct canvas *canvas, const struct profile *profile)
{
    struct text text = {0};
    if (profile->task_count > 0) {
        text_add_char(canvas->out, '\n');
        paint_text(canvas, PAINT_TITLE, " Tasks, the heaviest first:\n");
    }
    for (size_t i = 0; i < profile->task_count && i < TASKS_MAX; i++) {
        text.len = 0;
        sentence_task(&text, &profile->tasks[i]);
        paint_repeat(canvas, " ", TASK_INDENT);
        paint_wrapped(canvas, PAINT_PLAIN, text.data, TASK_INDENT, TASK_INDENT + 4);
    }
    uint64_t left_out = tasks_left_out(profile, TASKS_MAX);
    if (profile->task_count > 0 && left_out > 0) {
        text.len = 0;
        text_format(&text, "and %llu more", (unsigned long long)left_out);
        paint_repeat(canvas, " ", TASK_INDENT + 4);
        paint_wrapped(canvas, PAINT_DIM, text.data, TASK_INDENT + 4, TASK_INDENT + 4);
    }
    text_clear(&text);
}

static void add_place(struct text *out, const struct entry *entry)
{
    const char *slash = strrchr(entry->file->path, '/');
    text_format(out, "%s:%d", slash ? slash + 1 : entry->file->path, entry->line->number);
}

static void tell_awaits(struct text *out, const struct entry_list *lines)
{
    for (size_t i = 0; i < lines->count && i < TOLD_MAX; i++) {
        const struct profile_async *async = &lines->list[i].line->async;
        if (async->await_s <= 0) {
            break;
        }
        text_add(out, i == 0 ? "Tasks awaited " : ", ");
        amount_duration(out, async->await_s);
        text_add(out, " at ");
        add_place(out, &lines->list[i]);
        text_format(out, " (%.0f at once at most)", async->peak);
    }
    text_add(out, out->len > 0 ? "." : "");
}

static void tell_blocks(struct text *out, const struct entry_list *lines)
{
    size_t told = 0;
    for (size_t i = 0; i < lines->count && told < TOLD_MAX; i++) {
        const struct profile_async *async = &lines->list[i].line->async;
        if (async->block_count > 0) {
            text_add(out, out->len > 0 ? " " : "");
            add_place(out, &lines->list[i]);
            add_block(out, async);
            told++;
        }
    }
}

static void tell_tasks(struct text *out, const struct profile *profile)
{
    for (size_t i = 0; i < profile->task_count && i < TOLD_MAX; i++) {
        text_add(out, i > 0 ? "; " : out->len > 0 ? " Tasks: " : "Tasks: ");
        sentence_task(out, &profile->tasks[i]);
    }
    uint64_t left_out = tasks_left_out(profile, TOLD_MAX);
    if (profile->task_count > 0 && left_out > 0) {
        text_format(out, "; and %llu more", (unsigned long long)left_out);
    }
    text_add(out, profile->task_count > 0 ? "." : "");
}

void awaits_tell(struct text *out, const struct profile *profile)
{
    struct entry_list lines = entry_list_of(profile, ORDER_await, 0);
    tell_awaits(out, &lines);
    tell_blocks(out, &lines);
    tell_tasks(out, profile);
    entry_list_clear(&lines);
}
