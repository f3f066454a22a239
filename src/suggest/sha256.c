// SPDX-License-Identifier: Apache-2.0
#include "suggest/sha256.h"

#include <stdint.h>
#include <string.h>

#include "base/text.h"

#define BLOCK_BYTES 64
#define ROUNDS      64

// The first 32 bits of the fractions of the cube roots of the first 64 primes.
static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t word, int bits)
{
    return word >> bits | word << (32 - bits);
}

static void expand(const unsigned char *block, uint32_t schedule[ROUNDS])
{
    for (int i = 0; i < 16; i++) {
        const unsigned char *four = block + (size_t)4 * (size_t)i;
        schedule[i] = (uint32_t)four[0] << 24 | (uint32_t)four[1] << 16 | (uint32_t)four[2] << 8 |
                      (uint32_t)four[3];
    }
    for (int i = 16; i < ROUNDS; i++) {
        uint32_t early = schedule[i - 15];
        uint32_t late = schedule[i - 2];
        schedule[i] = schedule[i - 16] + (turn(early, 7) ^ turn(early, 18) ^ early >> 3) +
                      schedule[i - 7] + (turn(late, 17) ^ turn(late, 19) ^ late >> 10);
    }
}

static void mix(uint32_t state[8], const unsigned char *block)
{
    uint32_t schedule[ROUNDS];
    uint32_t s[8];
    expand(block, schedule);
    memcpy(s, state, sizeof s);
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        uint32_t first = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + choice +
                         constants[i] + schedule[i];
        uint32_t second = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + majority;
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += first;
        s[0] = first + second;
    }
    for (int i = 0; i < 8; i++) {
        state[i] += s[i];
    }
}

// What is left over, a one, zeros, and the length in bits: one block or two.
static void finish(uint32_t state[8], const unsigned char *rest, size_t rest_len, uint64_t len)
{
    unsigned char last[2 * BLOCK_BYTES] = {0};
    size_t size = rest_len + 9 <= BLOCK_BYTES ? BLOCK_BYTES : 2 * BLOCK_BYTES;
    if (rest_len > 0) {
        memcpy(last, rest, rest_len);
    }
    last[rest_len] = 0x80;
    for (size_t i = 0; i < 8; i++) {
        last[size - 1 - i] = (unsigned char)(len * 8 >> 8 * i);
    }
    for (size_t at = 0; at < size; at += BLOCK_BYTES) {
        mix(state, last + at);
    }
}

struct sha256 sha256_of(const void *data, size_t len)
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const unsigned char *bytes = data;
    struct sha256 digest;
    size_t at = 0;
    for (; len - at >= BLOCK_BYTES; at += BLOCK_BYTES) {
        mix(state, bytes + at);
    }
    finish(state, bytes + at, len - at, len);
    for (size_t i = 0; i < SHA256_BYTES; i++) {
        digest.bytes[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
    }
    return digest;
}

struct sha256 sha256_hmac(const void *key, size_t key_len, const void *data, size_t len)
{
    struct sha256 short_key;
    char pad[BLOCK_BYTES] = {0};
    struct text message = {0};
    if (key_len > BLOCK_BYTES) {
        short_key = sha256_of(key, key_len);
        key = short_key.bytes;
        key_len = sizeof short_key.bytes;
    }
    memcpy(pad, key, key_len);
    for (size_t i = 0; i < sizeof pad; i++) {
        pad[i] ^= 0x36;
    }
    text_add_bytes(&message, pad, sizeof pad);
    text_add_bytes(&message, data, len);
    struct sha256 inner = sha256_of(message.data, message.len);
    for (size_t i = 0; i < sizeof pad; i++) {
        pad[i] ^= 0x36 ^ 0x5c;
    }
    explicit_bzero(message.data, message.len);
    message.len = 0;
    text_add_bytes(&message, pad, sizeof pad);
    text_add_bytes(&message, (const char *)inner.bytes, sizeof inner.bytes);
    struct sha256 outer = sha256_of(message.data, message.len);
    explicit_bzero(pad, sizeof pad);
    explicit_bzero(message.data, message.len);
    text_clear(&message);
    return outer;
}

void sha256_hex(const struct sha256 *digest, char hex[SHA256_HEX_SIZE])
{
    for (size_t i = 0; i < SHA256_BYTES; i++) {
        hex[2 * i] = "0123456789abcdef"[digest->bytes[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[digest->bytes[i] & 15];
    }
    hex[SHA256_HEX_SIZE - 1] = '\0';
}
