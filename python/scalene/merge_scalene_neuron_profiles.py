# SPDX-License-Identifier: Apache-2.0
"""`python -m scalene.merge_scalene_neuron_profiles PROFILE.json TRACE.json OUT.json`: what AWS Neuron's own
trace knows of each line of a program (calls of the runtime, work of the cores), added to its profile.

The i-th call of `nrt_execute` of a process belongs to its i-th section in debug_rank_0.txt, which the Neuron compiler
leaves beside the trace or in the current directory. A trace may have other processes as well, which are left out."""

from __future__ import annotations

import bisect
import json
import os
import sys
from collections import defaultdict
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

NS_PER_MS = 1e6
Place = Tuple[str, int]


class Source(NamedTuple):
    """A section of debug_rank_0.txt: the process, and the line of its call."""

    process: Optional[str]
    place: Optional[Place]



def read_json(path: str) -> Any:
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as problem:
        raise SystemExit("cannot read %s: %s" % (path, problem)) from None


def read_events(path: str) -> List[Dict[str, Any]]:
    trace = read_json(path)
    events = trace.get("trace_event", trace.get("traceEvents")) if isinstance(trace, dict) else trace
    if not isinstance(events, list):
        raise SystemExit("%s is no trace of Neuron's: it has no list of events" % path)
    return [event for event in events if isinstance(event, dict)]


def read_sources(folders: List[str]) -> List[Source]:
    """The line of each call of the runtime, in order."""
    for folder in folders:
        path = os.path.join(folder, "debug_rank_0.txt")
        if os.path.exists(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                sections = file.read().split("---")
            return [source_of(section) for section in sections if "SOURCE:" in section]
    return []


def field(section: str, name: str) -> Optional[str]:
    _, found, rest = section.partition(name)
    return rest.partition("\n")[0].strip() if found else None


def source_of(section: str) -> Source:
    name, _, number = (field(section, "SOURCE:") or "").rpartition(":")
    return Source(field(section, "PID:"), (name, int(number)) if name and number.isdigit() else None)


def of_process(events: List[Dict[str, Any]], process: Optional[str]) -> List[Dict[str, Any]]:
    """Those of a process; all of them where none is named."""
    return [event for event in events if process is None or str(event.get("process_id")) == process]


def of_sources(events: List[Dict[str, Any]], sources: List[Source]) -> List[Dict[str, Any]]:
    """Those of the processes that the sources are of."""
    known = {source.process for source in sources}
    return [event for event in events if not known or None in known or str(event.get("process_id")) in known]


class Spans:
    """Stretches of time when cores worked."""

    def __init__(self, events: List[Dict[str, Any]]) -> None:
        self.ends: List[Tuple[float, float]] = []
        for begin, length in sorted((number(event, "timestamp"), number(event, "duration")) for event in events):
            if self.ends and begin <= self.ends[-1][1]:
                self.ends[-1] = (self.ends[-1][0], max(self.ends[-1][1], begin + length))
            else:
                self.ends.append((begin, begin + length))

    def has(self, time_ns: float) -> bool:
        index = bisect.bisect_right(self.ends, (time_ns, float("inf"))) - 1
        return index >= 0 and self.ends[index][0] <= time_ns < self.ends[index][1]


def number(event: Dict[str, Any], key: str) -> float:
    value = event.get(key, 0)
    return float(value) if isinstance(value, (int, float)) else 0.0


def exec_id(event: Dict[str, Any]) -> Any:
    args = event.get("args")
    return args.get("exec_id") if isinstance(args, dict) else None


Found = Dict[Place, Dict[str, List[Dict[str, Any]]]]


def by_place(events: List[Dict[str, Any]], sources: List[Source]) -> Found:
    """Calls and the work that they caused, by line."""
    found: Found = defaultdict(lambda: {"nrt": [], "nc": []})
    for process in {source.process for source in sources}:
        places = [source.place for source in sources if source.process == process]
        add_process(found, of_process(events, process), places)
    return found


def add_process(found: Found, events: List[Dict[str, Any]], sources: List[Optional[Place]]) -> None:
    calls = sorted((e for e in events if e.get("name") == "nrt_execute"), key=lambda e: number(e, "timestamp"))
    starts = sorted((e for e in events if e.get("name") == "kbl_exec_pre"), key=lambda e: number(e, "timestamp"))
    places: Dict[Any, Place] = {}
    for call, place in zip(calls, sources):
        if place is None:
            continue
        found[place]["nrt"].append(call)
        identity = exec_id(call)
        end = number(call, "timestamp") + number(call, "duration")
        for start in starts:  # the runtime's own event, inside the call, has the identity too
            if identity is None and number(call, "timestamp") <= number(start, "timestamp") <= end:
                identity = exec_id(start)
        if identity is not None:
            places[identity] = place
    for event in events:
        if event.get("name") == "nc_exec_running" and exec_id(event) in places:
            found[places[exec_id(event)]]["nc"].append(event)


def place_matches(place: Place, path: str, lineno: int) -> bool:
    return place[1] == lineno and (path == place[0] or path.endswith("/" + place[0].lstrip("./")))


def milliseconds(events: List[Dict[str, Any]]) -> float:
    return sum(number(event, "duration") for event in events) / NS_PER_MS


def add_to_line(line: Dict[str, Any], found: Dict[str, List[Dict[str, Any]]], total: Tuple[float, float]) -> None:
    nrt_ms, nc_ms = milliseconds(found["nrt"]), milliseconds(found["nc"])
    line.update(
        nrt_time_ms=nrt_ms,
        nrt_percent=100 * nrt_ms / total[0] if total[0] else 0.0,
        nrt_execute_count=len(found["nrt"]),
        nrt_events=found["nrt"],
        nrt_source_code=line.get("line", ""),
        nc_time_ms=nc_ms,
        nc_percent=100 * nc_ms / total[1] if total[1] else 0.0,
        nc_execute_count=len(found["nc"]),
        nc_events=found["nc"],
        nc_nrt_ratio=nc_ms / nrt_ms if nrt_ms else 0.0,
        neuron_time_ms=nrt_ms,
    )


def add_overlap(line: Dict[str, Any], spans: Spans, shift_s: float) -> Tuple[int, int]:
    """How many of the line's samples fell into the work of the cores."""
    samples = line.get("cpu_samples_list", [])
    count = sum(spans.has((sample + shift_s) * 1e9) for sample in samples)
    line["cpu_samples_nc_overlap_count"] = count
    line["cpu_samples_total_count"] = len(samples)
    line["cpu_samples_nc_overlap_percent"] = 100 * count / len(samples) if samples else 0.0
    return count, len(samples)


def merge(profile: Dict[str, Any], events: List[Dict[str, Any]], sources: List[Source]) -> Dict[str, Any]:
    events = of_sources(events, sources)
    places = by_place(events, sources)
    running = [event for event in events if event.get("name") == "nc_exec_running"]
    calls = [event for event in events if event.get("name") == "nrt_execute"]
    total = (milliseconds(calls), milliseconds(running))
    shift_s = profile.get("start_time_absolute", 0.0) - profile.get("start_time_perf", 0.0)
    spans, overlap, samples = Spans(running), 0, 0
    for path, content in profile.get("files", {}).items():
        for line in content.get("lines", []):
            inside, all_of_line = add_overlap(line, spans, shift_s)
            overlap, samples = overlap + inside, samples + all_of_line
            for place, found in places.items():
                if place_matches(place, path, line.get("lineno", 0)):
                    add_to_line(line, found, total)
    profile.update(
        neuron_total_time_ms=total[0],
        neuron_total_nc_time_ms=total[1],
        neuron_event_count=len(calls),
        neuron_nc_event_count=len(running),
        cpu_samples_total_with_nc_overlap=overlap,
        cpu_samples_total=samples,
        cpu_samples_nc_overlap_percent_overall=100 * overlap / samples if samples else 0.0,
    )
    return profile


def main(words: List[str]) -> None:
    if len(words) != 3:
        raise SystemExit("usage: python -m scalene.merge_scalene_neuron_profiles PROFILE.json TRACE.json OUT.json")
    profile = read_json(words[0])
    if not isinstance(profile, dict) or "files" not in profile:
        raise SystemExit("%s is no profile" % words[0])
    events = read_events(words[1])
    sources = read_sources([os.path.dirname(os.path.abspath(words[1])), os.getcwd()])
    if not sources:
        print("there is no debug_rank_0.txt: calls of the runtime are not told by line", file=sys.stderr)
    with open(words[2], "w", encoding="utf-8") as file:
        json.dump(merge(profile, events, sources), file, indent=4, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
