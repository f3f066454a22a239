// SPDX-License-Identifier: Apache-2.0
// How a function is named in chips and links: "parse@load.py". The same in every run of a program.
import type { Profile } from "./profile";

export function functionId(profile: Profile, fn: number): string {
    const file = profile.functionNames.file[fn];
    const end = file.slice(file.lastIndexOf("/") + 1);
    return end ? `${profile.functionNames.name[fn]}@${end}` : profile.functionNames.name[fn];
}
