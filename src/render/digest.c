// SPDX-License-Identifier: Apache-2.0
#include "render/digest.h"

#include <stdlib.h>
#include <string.h>

#include "profile/amount.h"
#include "profile/finding_list.h"
#include "profile/percent.h"
#include "profile/writer.h"
#include "render/awaits.h"
#include "render/entry.h"
#include "render/operators.h"
#include "render/sentence.h"
#include "render/tokens.h"

#define LINES_MAX    20
#define MEMORY_LINES 5
#define SOURCE_MAX   160 // bytes of a line
#define SENTENCE_MAX 600
#define DECIMALS     3

static const char *const no_glyphs[] = {"", "", "", ""};

// How much of the profile there is room for.
struct digest {
    const struct profile *profile;
    enum order_key key;
    struct entry_list lines;
    struct entry_list holders; // of memory, at the peak
    size_t finding_count;
    size_t line_count;
    struct entry_reader reader;
};

typedef void (*digest_writer)(struct digest *digest, struct text *out);

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void add_cut(struct text *out, const char *text, size_t max)
{
    size_t len = strlen(text);
    entry_add_plain(out, text, len < max ? len : max);
}

// Once with all there may be, then with less until it fits: first lines go, then findings.
static void write_bounded(struct digest *digest, digest_writer write, struct text *out)
{
    for (;;) {
        struct text attempt = {0};
        write(digest, &attempt);
        bool is_least = digest->line_count == 0 && digest->finding_count == 0;
        if (is_least || tokens_of(attempt.data, attempt.len) <= DIGEST_TOKENS) {
            text_add_bytes(out, attempt.data, attempt.len);
            text_clear(&attempt);
            return;
        }
        text_clear(&attempt);
        if (digest->line_count > 0) {
            digest->line_count--;
        } else {
            digest->finding_count--;
        }
    }
}

static void make(const struct profile *profile, const struct digest_options *options,
                 digest_writer write, struct text *out)
{
    enum order_key key = options->key == ORDER_line ? ORDER_time : options->key;
    size_t max = options->max > 0 ? options->max : LINES_MAX;
    struct digest digest = {
        .profile = profile,
        .key = key,
        .lines = entry_list_of(profile, key, 0),
        .holders = entry_list_of(profile, ORDER_memory, MEMORY_LINES),
        .finding_count = profile->findings.count,
        .reader = {.profile = profile},
    };
    digest.line_count = digest.lines.count < max ? digest.lines.count : max;
    write_bounded(&digest, write, out);
    entry_reader_clear(&digest.reader);
    entry_list_clear(&digest.lines);
    entry_list_clear(&digest.holders);
}

// What would be markup in the middle of a line.
static void add_markdown(struct text *out, const char *text, size_t max)
{
    struct text plain = {0};
    add_cut(&plain, text, max);
    for (size_t i = 0; i < plain.len; i++) {
        if (strchr("\\`*_[]<>|#&", plain.data[i])) {
            text_add_char(out, '\\');
        }
        text_add_char(out, plain.data[i]);
    }
    text_clear(&plain);
}

static void add_paragraph(struct text *out, struct text *sentence)
{
    if (sentence->len > 0) {
        add_markdown(out, sentence->data, SENTENCE_MAX);
        text_add_char(out, '\n');
    }
    text_clear(sentence);
}

static void add_verdict(struct digest *digest, struct text *out)
{
    struct text sentence = {0};
    sentence_verdict(&sentence, digest->profile, no_glyphs);
    add_paragraph(out, &sentence);
    if (digest->profile->has_memory) {
        sentence_memory(&sentence, digest->profile, "");
        add_paragraph(out, &sentence);
    }
    sentence_gpus(&sentence, digest->profile);
    add_paragraph(out, &sentence);
    awaits_tell(&sentence, digest->profile);
    add_paragraph(out, &sentence);
    operators_tell(&sentence, digest->profile);
    add_paragraph(out, &sentence);
    sentence_receipt(&sentence, digest->profile, "±");
    add_paragraph(out, &sentence);
}

static void add_findings(struct digest *digest, struct text *out)
{
    const struct finding_list *list = &digest->profile->findings;
    if (list->count == 0 && digest->profile->file_count > 0) {
        text_add(out, "\n" FINDING_NONE "\n");
    }
    for (size_t i = 0; i < digest->finding_count; i++) {
        const struct finding *finding = &list->items[i];
        text_format(out, "%s%zu. ", i == 0 ? "\nFindings, and what to try:\n\n" : "", i + 1);
        add_markdown(out, finding->sentence, SENTENCE_MAX);
        if (finding->next_step) {
            text_add(out, " Try: ");
            add_markdown(out, finding->next_step, SENTENCE_MAX);
        }
        text_add_char(out, '\n');
    }
    size_t left_out = list->count - digest->finding_count + list->left_out;
    if (left_out > 0) {
        text_format(out, "\n%zu more findings are in the profile.\n", left_out);
    }
}

static void add_place(struct text *out, const struct entry *entry)
{
    add_markdown(out, base_name(entry->file->path), SOURCE_MAX);
    text_format(out, ":%d", entry->line->number);
}

static void add_code(struct digest *digest, struct text *out, const struct entry *entry)
{
    struct text source = {0};
    entry_add_source(&source, &digest->reader, entry, SOURCE_MAX);
    const char *text = source.data ? source.data : "";
    add_markdown(out, text + strspn(text, " "), SOURCE_MAX);
    text_clear(&source);
}

static void add_duration(struct text *out, double seconds)
{
    if (seconds > 0) {
        amount_duration(out, seconds);
    }
}

static void add_row(struct digest *digest, struct text *out, const struct entry *entry)
{
    struct percent percent = percent_of(digest->profile, &entry->line->times);
    const double shares[] = {percent.python, percent.native, percent.system, percent.idle};
    double wait_s = profile_times_wait_s(&entry->line->times);
    text_add(out, "| ");
    add_place(out, entry);
    for (int i = 0; i < 4; i++) {
        text_add(out, " | ");
        amount_percent(out, shares[i]);
    }
    text_add(out, " | ");
    if (percent.error > 0) {
        text_format(out, "%.1f", percent.error);
    }
    text_add(out, " | ");
    add_duration(out, wait_s);
    if (digest->profile->await_s > 0) {
        text_add(out, " | ");
        add_duration(out, entry->line->async.await_s);
    }
    if (digest->profile->gpus.is_used) {
        text_add(out, " | ");
        amount_percent(out, profile_gpu_percent(&entry->line->gpu));
    }
    text_add(out, " | ");
    amount_size(out, entry->line->memory.peak_mb);
    text_add(out, " | ");
    add_code(digest, out, entry);
    text_add(out, " |\n");
}

static void add_lines(struct digest *digest, struct text *out)
{
    bool has_awaits = digest->profile->await_s > 0;
    bool has_gpu = digest->profile->gpus.is_used;
    text_format(out,
                "\n| Line | Python | native | system | idle | ± | waits |%s%s Memory | Source |\n"
                "|---|---:|---:|---:|---:|---:|---:|%s%s---:|---|\n",
                has_awaits ? " awaited |" : "", has_gpu ? " GPU |" : "", has_awaits ? "---:|" : "",
                has_gpu ? "---:|" : "");
    for (size_t i = 0; i < digest->line_count; i++) {
        add_row(digest, out, &digest->lines.list[i]);
    }
    if (digest->lines.count > digest->line_count) {
        text_format(out, "\n%zu more lines have data: scalene view --format tsv lists all.\n",
                    digest->lines.count - digest->line_count);
    }
}

static void add_holders(struct digest *digest, struct text *out)
{
    bool is_first = true;
    for (size_t i = 0; i < digest->holders.count; i++) {
        const struct entry *entry = &digest->holders.list[i];
        const struct profile_memory *memory = &entry->line->memory;
        if (memory->at_peak_mb <= 0) {
            continue;
        }
        text_add(out, is_first ? "\nHeld at the peak: " : ", ");
        add_place(out, entry);
        text_add_char(out, ' ');
        amount_size(out, memory->at_peak_mb);
        is_first = false;
    }
    text_add(out, is_first ? "" : ".\n");
}

static void add_next(struct digest *digest, struct text *out)
{
    if (digest->line_count > 0) {
        text_add(out, "\nNext: scalene propose --print-prompt --line ");
        add_place(out, &digest->lines.list[0]);
        text_add(out, " has all that was measured around the first of these lines.\n");
    }
}

static void write_markdown(struct digest *digest, struct text *out)
{
    add_verdict(digest, out);
    add_findings(digest, out);
    add_lines(digest, out);
    add_holders(digest, out);
    add_next(digest, out);
}

void digest_markdown(const struct profile *profile, const struct digest_options *options,
                     struct text *out)
{
    make(profile, options, write_markdown, out);
}

static void write_sentence(struct writer *writer, const char *key, struct text *sentence)
{
    struct text plain = {0};
    if (sentence->data) {
        add_cut(&plain, sentence->data, SENTENCE_MAX);
    }
    writer_key(writer, key);
    writer_text(writer, plain.data ? plain.data : "");
    text_clear(&plain);
    text_clear(sentence);
}

static void write_line(struct digest *digest, struct writer *writer, const struct entry *entry)
{
    struct text source = {0};
    double values[ENTRY_VALUES];
    entry_add_source(&source, &digest->reader, entry, SOURCE_MAX);
    entry_values(digest->profile, entry->line, values);
    writer_begin_object(writer);
    for (size_t i = 0; i < ENTRY_VALUES; i++) {
        if (strcmp(entry_value_names[i], "gpu_peak_mb") == 0) {
            writer_key(writer, "file");
            writer_text(writer, entry->file->path);
        } else if (strcmp(entry_value_names[i], "native_s") == 0) {
            writer_key(writer, "line");
            writer_integer(writer, entry->line->number);
        } else if (strcmp(entry_value_names[i], "system_s") == 0) {
            writer_key(writer, "source");
            writer_text(writer, source.data ? source.data : "");
        }
        if (values[i] != 0) {
            writer_key(writer, entry_value_names[i]);
            writer_real(writer, values[i], DECIMALS);
        }
    }
    writer_end_object(writer);
    text_clear(&source);
}

static void write_memory(struct digest *digest, struct writer *writer)
{
    const struct profile_footprint *footprint = &digest->profile->footprint;
    writer_key(writer, "memory");
    if (!digest->profile->has_memory) {
        writer_null(writer);
        return;
    }
    writer_begin_object(writer);
    writer_key(writer, "allocated_mb");
    writer_real(writer, footprint->allocated_mb, DECIMALS);
    writer_key(writer, "peak_line");
    writer_text(writer, footprint->path);
    writer_key(writer, "peak_line_number");
    writer_integer(writer, footprint->line);
    writer_key(writer, "peak_mb");
    writer_real(writer, footprint->max_mb, DECIMALS);
    writer_end_object(writer);
}

static void write_verdict(struct digest *digest, struct writer *writer)
{
    struct text sentence = {0};
    writer_key(writer, "verdict");
    writer_begin_object(writer);
    if (digest->profile->await_s > 0) {
        awaits_tell(&sentence, digest->profile);
        write_sentence(writer, "awaits", &sentence);
    }
    if (digest->profile->gpus.count > 0) {
        sentence_gpus(&sentence, digest->profile);
        write_sentence(writer, "gpu", &sentence);
    }
    if (digest->profile->has_memory) {
        sentence_memory(&sentence, digest->profile, "");
        write_sentence(writer, "memory", &sentence);
    }
    if (digest->profile->operators.count > 0) {
        operators_tell(&sentence, digest->profile);
        write_sentence(writer, "operators", &sentence);
    }
    sentence_receipt(&sentence, digest->profile, "±");
    write_sentence(writer, "receipt", &sentence);
    sentence_verdict(&sentence, digest->profile, no_glyphs);
    write_sentence(writer, "time", &sentence);
    writer_end_object(writer);
}

static void write_waits(struct digest *digest, struct writer *writer)
{
    const struct profile_times *totals = &digest->profile->totals;
    const char *names[PROFILE_WAIT_COUNT];
    writer_key(writer, "wait_s");
    writer_begin_object(writer);
    for (int i = 0; i < PROFILE_WAIT_COUNT; i++) { // JSON's keys are in order, the kinds are not
        names[i] = profile_wait_names[i];
        for (int j = i; j > 0 && strcmp(names[j - 1], names[j]) > 0; j--) {
            const char *other = names[j];
            names[j] = names[j - 1];
            names[j - 1] = other;
        }
    }
    for (int i = 0; i < PROFILE_WAIT_COUNT; i++) {
        for (int kind = 0; kind < PROFILE_WAIT_COUNT; kind++) {
            if (names[i] == profile_wait_names[kind] && totals->wait_s[kind] > 0) {
                writer_key(writer, names[i]);
                writer_real(writer, totals->wait_s[kind], DECIMALS);
            }
        }
    }
    writer_end_object(writer);
}

static void write_json(struct digest *digest, struct text *out)
{
    struct writer writer;
    struct finding_list findings = digest->profile->findings;
    findings.count = digest->finding_count;
    writer_init(&writer, -1);
    writer.is_compact = true;
    writer_begin_object(&writer);
    writer_key(&writer, "findings");
    finding_list_write(&writer, &findings);
    writer_key(&writer, "findings_left_out");
    writer_unsigned(&writer, digest->profile->findings.count - digest->finding_count +
                                 digest->profile->findings.left_out);
    writer_key(&writer, "lines");
    writer_begin_list(&writer);
    for (size_t i = 0; i < digest->line_count; i++) {
        write_line(digest, &writer, &digest->lines.list[i]);
    }
    writer_end_list(&writer);
    writer_key(&writer, "lines_left_out");
    writer_unsigned(&writer, digest->lines.count - digest->line_count);
    write_memory(digest, &writer);
    writer_key(&writer, "total_s");
    writer_real(&writer, profile_total_s(digest->profile), DECIMALS);
    write_verdict(digest, &writer);
    write_waits(digest, &writer);
    writer_end_object(&writer);
    text_add_bytes(out, writer.text.data, writer.text.len);
    text_add_char(out, '\n');
    writer_clear(&writer);
}

void digest_json(const struct profile *profile, const struct digest_options *options,
                 struct text *out)
{
    make(profile, options, write_json, out);
}
