// SPDX-License-Identifier: Apache-2.0
// What the program's own trace says: an operator's calls from one place, on the processor or the device.
import type { Place } from "./profile";
import { type Fields, fields, number, text } from "./reader";

export interface Operator {
    name: string;
    isDevice: boolean; // its kernels; else its own time on the processor
    place: Place;
    count: number;
    seconds: number;
}

export function readOperator(value: unknown): Operator {
    const one = fields(value);
    return {
        name: text(one.name),
        isDevice: one.is_device === true,
        place: { file: text(one.file) || undefined, line: number(one.line) || undefined },
        count: number(one.count),
        seconds: number(one.seconds),
    };
}

/** The same of a profile's JSON, in the words of the viewer form. */
export function operatorForm(value: unknown): Fields {
    const one = fields(value);
    return { ...one, file: one.filename, line: one.lineno, is_device: one.device === "gpu" };
}
