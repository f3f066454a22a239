// SPDX-License-Identifier: Apache-2.0
// Base64 of gzip, as a standalone page carries what it shows.

export async function inflate(base64: string): Promise<string> {
    if (typeof DecompressionStream === "undefined") {
        throw new Error("this browser is too old to open a compressed page; any of 2023 or later can");
    }
    const bytes = Uint8Array.from(atob(base64.trim()), (letter) => letter.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(plain).text();
}
