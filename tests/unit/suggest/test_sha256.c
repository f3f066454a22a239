// SPDX-License-Identifier: Apache-2.0
// Vectors of FIPS 180-2 and RFC 4231.
#include <stdlib.h>
#include <string.h>

#include "suggest/sha256.h"
#include "unit.h"

static void check(const char *text, size_t len, const char *expected)
{
    char hex[SHA256_HEX_SIZE];
    struct sha256 digest = sha256_of(text, len);
    sha256_hex(&digest, hex);
    assert_string_equal(hex, expected);
}

static void texts_have_their_known_digests(void **state)
{
    (void)state;
    check("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    char *million = malloc(1000000);
    memset(million, 'a', 1000000);
    check(million, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

static void keyed_digests_too(void **state)
{
    (void)state;
    char hex[SHA256_HEX_SIZE];
    char long_key[131];
    struct sha256 digest = sha256_hmac("Jefe", 4, "what do ya want for nothing?", 28);
    sha256_hex(&digest, hex);
    assert_string_equal(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(long_key, 0xaa, sizeof long_key);
    digest = sha256_hmac(long_key, sizeof long_key,
                         "Test Using Larger Than Block-Size Key - Hash Key First", 54);
    sha256_hex(&digest, hex);
    assert_string_equal(hex, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void every_length_around_a_block_is_right(void **state)
{
    (void)state;
    // Digests of digests of 0 to 199 bytes, as Python's hashlib has them.
    char bytes[200];
    char all[200 * SHA256_BYTES];
    for (size_t len = 0; len < sizeof bytes; len++) {
        bytes[len] = (char)len;
        struct sha256 digest = sha256_of(bytes, len);
        memcpy(all + len * SHA256_BYTES, digest.bytes, SHA256_BYTES);
    }
    check(all, sizeof all, "ba7b0fcea7d10c06b855b43d2b4dce1e3e842fff6be0acefb0faf4f2dd05bb47");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_have_their_known_digests),
        cmocka_unit_test(keyed_digests_too),
        cmocka_unit_test(every_length_around_a_block_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
