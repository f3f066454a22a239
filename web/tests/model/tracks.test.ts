// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { MARKS } from "../../src/model/tracks";

test.each([
    ["read", "I/O"],
    ["__libc_pread64", "I/O"],
    ["__read_nocancel", "I/O"],
    ["epoll_wait", "I/O"],
    ["sendmsg", "I/O"],
    ["recvfrom", "I/O"],
    ["openat64", "I/O"],
    ["_io_FileIO_readall", "I/O"],
    ["take_gil", "GIL"],
    ["PyEval_RestoreThread", "GIL"],
    ["gc_collect_main", "GC"],
    ["read_object", ""], // of marshal, from memory
    ["close_over", ""],
    ["selection_sort", ""],
])("%s belongs to the track %s", (name, track) => {
    const found = Object.keys(MARKS).filter((mark) => MARKS[mark].test(name));
    expect(found.join()).toBe(track);
});
