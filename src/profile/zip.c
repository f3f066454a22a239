// SPDX-License-Identifier: Apache-2.0
#include "profile/zip.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"

// Sizes and offsets of PKWARE's APPNOTE, sections 4.3.7, 4.3.12 and 4.3.16.
enum {
    END_SIZE = 22,
    END_SEARCH = END_SIZE + 65535, // a comment may follow
    ENTRY_SIZE = 46,
    LOCAL_SIZE = 30,
    METHOD_STORED = 0,
    METHOD_DEFLATED = 8,
    FLAG_ENCRYPTED = 1,
};

struct archive {
    const uint8_t *bytes;
    size_t size;
    size_t shift; // what was put in front of the archive, such as a zipapp's first line
};

struct member {
    unsigned method;
    size_t packed_size;
    size_t size;
    size_t offset; // of the local header
};

static size_t get16(const uint8_t *at)
{
    return at[0] | (size_t)at[1] << 8;
}

static size_t get32(const uint8_t *at)
{
    return get16(at) | get16(at + 2) << 16;
}

static const uint8_t *find_end(const struct archive *archive)
{
    size_t search = archive->size < END_SEARCH ? archive->size : END_SEARCH;
    for (size_t back = END_SIZE; back <= search; back++) {
        const uint8_t *at = archive->bytes + archive->size - back;
        if (memcmp(at, "PK\5\6", 4) == 0) {
            return at;
        }
    }
    return NULL;
}

static bool find_member(struct archive *archive, const char *name, struct member *member)
{
    const uint8_t *end = find_end(archive);
    if (!end) {
        return false;
    }
    size_t end_offset = (size_t)(end - archive->bytes);
    size_t directory_size = get32(end + 12);
    size_t directory_offset = get32(end + 16);
    if (directory_size > end_offset || directory_offset > end_offset - directory_size) {
        return false;
    }
    archive->shift = end_offset - directory_size - directory_offset;
    size_t name_len = strlen(name);
    const uint8_t *at = end - directory_size;
    while ((size_t)(end - at) >= ENTRY_SIZE && memcmp(at, "PK\1\2", 4) == 0) {
        size_t entry_name_len = get16(at + 28);
        size_t entry_size = ENTRY_SIZE + entry_name_len + get16(at + 30) + get16(at + 32);
        if (entry_size > (size_t)(end - at)) {
            return false;
        }
        if (entry_name_len == name_len && memcmp(at + ENTRY_SIZE, name, name_len) == 0) {
            *member = (struct member){.method = (unsigned)get16(at + 10),
                                      .packed_size = get32(at + 20),
                                      .size = get32(at + 24),
                                      .offset = get32(at + 42)};
            return !(get16(at + 8) & FLAG_ENCRYPTED);
        }
        at += entry_size;
    }
    return false;
}

static const uint8_t *packed_bytes(const struct archive *archive, const struct member *member)
{
    size_t offset = archive->shift + member->offset;
    if (offset > archive->size || archive->size - offset < LOCAL_SIZE) {
        return NULL;
    }
    const uint8_t *local = archive->bytes + offset;
    size_t header = LOCAL_SIZE + get16(local + 26) + get16(local + 28);
    size_t room = archive->size - offset;
    if (memcmp(local, "PK\3\4", 4) != 0 || header > room || member->packed_size > room - header) {
        return NULL;
    }
    return local + header;
}

static bool unpack(const struct member *member, const uint8_t *packed, char *text)
{
    if (member->method == METHOD_STORED) {
        memcpy(text, packed, member->size);
        return true;
    }
    z_stream stream = {.next_in = (Bytef *)packed,
                       .avail_in = (uInt)member->packed_size,
                       .next_out = (Bytef *)text,
                       .avail_out = (uInt)member->size};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
        return false;
    }
    int status = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    return status == Z_STREAM_END && stream.total_out == member->size;
}

static char *read_member(struct archive *archive, const char *name, size_t size_max, size_t *len)
{
    struct member member;
    if (!find_member(archive, name, &member) || member.size > size_max) {
        return NULL;
    }
    bool is_known = member.method == METHOD_DEFLATED ||
                    (member.method == METHOD_STORED && member.size == member.packed_size);
    const uint8_t *packed = packed_bytes(archive, &member);
    if (!is_known || !packed) {
        return NULL;
    }
    char *text = mem_alloc(member.size + 1);
    if (!unpack(&member, packed, text)) {
        free(text);
        return NULL;
    }
    *len = member.size;
    return text;
}

char *zip_read_member(const char *path, const char *member, size_t size_max, size_t *len)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    char *text = NULL;
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size >= END_SIZE) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            struct archive archive = {.bytes = bytes, .size = (size_t)status.st_size};
            text = read_member(&archive, member, size_max, len);
            munmap(bytes, (size_t)status.st_size);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return text;
}
