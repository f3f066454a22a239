// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from "vitest/config";

// What a person sees follows what they do by a frame or more: tests poll until it does, and give up late.
export default defineConfig({
    test: {
        testTimeout: 180_000,
        hookTimeout: 180_000,
        pool: "forks",
        fileParallelism: false, // some measure time
        expect: { poll: { timeout: 20_000, interval: 20 } },
    },
});
