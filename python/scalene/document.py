# SPDX-License-Identifier: Apache-2.0
"""What a profile holds. Names, units and meaning are those of docs/profile-format.md; fields that a profile
does not have (the original's files have fewer) keep the values here. MB are 2**20 bytes."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, Optional, Tuple


@dataclasses.dataclass
class Measures:
    """What a line and a function have in common."""

    line: str = ""  # source text, or the function's qualified name
    lineno: int = 0
    n_cpu_percent_python: float = 0.0
    n_cpu_percent_c: float = 0.0
    n_sys_percent: float = 0.0
    error_percent: float = 0.0
    cpu_python_s: float = 0.0
    cpu_native_s: float = 0.0
    cpu_system_s: float = 0.0
    wait_s: Dict[str, float] = dataclasses.field(default_factory=dict)
    n_core_utilization: float = 0.0
    cpu_samples_list: List[float] = dataclasses.field(default_factory=list)
    n_malloc_mb: float = 0.0
    n_mallocs: int = 0
    n_peak_mb: float = 0.0
    n_growth_mb: float = 0.0
    n_avg_mb: float = 0.0
    n_usage_fraction: float = 0.0
    n_python_fraction: float = 0.0
    n_copy_mb_s: float = 0.0
    alloc_count: int = 0
    alloc_error_mb: float = 0.0
    live_at_peak_mb: float = 0.0
    live_at_end_mb: float = 0.0
    live_error_mb: float = 0.0
    copy_mb: float = 0.0
    memory_samples: List[List[float]] = dataclasses.field(default_factory=list)
    gpu_busy_s: float = 0.0
    gpu_seen_s: float = 0.0
    n_gpu_percent: float = 0.0
    n_gpu_avg_memory_mb: float = 0.0
    n_gpu_peak_memory_mb: float = 0.0
    n_async_await_percent: float = 0.0
    n_async_concurrency_mean: float = 0.0
    n_async_concurrency_peak: float = 0.0
    await_s: float = 0.0
    await_work_s: float = 0.0
    async_task_names: List[str] = dataclasses.field(default_factory=list)
    is_coroutine: bool = False

    @property
    def percent(self) -> float:
        """The share of T: Python, native, system and idle time together."""
        return self.n_cpu_percent_python + self.n_cpu_percent_c + self.n_sys_percent


@dataclasses.dataclass
class Line(Measures):
    start_region_line: int = 0
    end_region_line: int = 0
    start_outermost_loop: int = 0
    end_outermost_loop: int = 0
    start_function_line: int = 0
    end_function_line: int = 0


@dataclasses.dataclass
class Function(Measures):
    pass


@dataclasses.dataclass
class Leak:
    likelihood: float = 0.0
    velocity_mb_s: float = 0.0


@dataclasses.dataclass
class File:
    path: str
    percent_cpu_time: float = 0.0
    lines: List[Line] = dataclasses.field(default_factory=list)  # every line of the source, in order
    functions: List[Function] = dataclasses.field(default_factory=list)
    leaks: Dict[int, Leak] = dataclasses.field(default_factory=dict)  # by line
    imports: List[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Frame:
    kind: str = "py"  # or "native"
    display_name: str = ""
    filename_or_module: str = ""
    line: Optional[int] = None
    ip: Optional[int] = None
    offset: Optional[int] = None


@dataclasses.dataclass
class Stack:
    frames: List[Frame]  # outermost first
    weight: float  # samples; of memory stacks MB


@dataclasses.dataclass
class Ending:
    how: str = "exit"
    status: int = 0


@dataclasses.dataclass
class Process:
    pid: int = 0
    parent_pid: int = 0
    command: List[str] = dataclasses.field(default_factory=list)
    python_version: Optional[str] = None
    start_s: float = 0.0
    end_s: float = 0.0
    ended: Ending = dataclasses.field(default_factory=Ending)
    cpu_s: float = 0.0
    peak_rss_mb: float = 0.0
    peak_footprint_mb: float = 0.0
    profiled: bool = True
    why_not: Optional[str] = None


@dataclasses.dataclass
class Thread:
    pid: int = 0
    thread_id: int = 0
    name: str = ""
    start_s: float = 0.0
    end_s: float = 0.0
    cpu_python_s: float = 0.0
    cpu_native_s: float = 0.0
    cpu_system_s: float = 0.0
    wait_s: Dict[str, float] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Totals:
    cpu_python_s: float = 0.0
    cpu_native_s: float = 0.0
    cpu_system_s: float = 0.0
    idle_s: float = 0.0
    ready_s: float = 0.0
    wait_s: Dict[str, float] = dataclasses.field(default_factory=dict)
    cpu_s_kernel_says: float = 0.0
    malloc_mb: float = 0.0


@dataclasses.dataclass
class Quality:
    """How far to trust the numbers."""

    cpu_samples: int = 0
    cpu_samples_lost: int = 0
    cpu_samples_late: int = 0
    cpu_unattributed_s: float = 0.0
    memory_samples: int = 0
    memory_samples_lost: int = 0
    own_cpu_in_program_s: float = 0.0
    own_cpu_beside_s: float = 0.0
    own_memory_mb: float = 0.0
    notes: List[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Profile:
    format_version: int = 0  # 0: the original Scalene wrote it
    scalene_version: Optional[str] = None
    program: str = ""
    args: Optional[List[str]] = None
    command: List[str] = dataclasses.field(default_factory=list)
    python_version: Optional[str] = None
    python_executable: Optional[str] = None
    entrypoint_dir: str = ""
    elapsed_time_sec: float = 0.0
    start_time_absolute: float = 0.0
    start_time_perf: float = 0.0
    ended: Optional[Ending] = None
    memory: bool = False
    max_footprint_mb: float = 0.0
    max_footprint_fname: Optional[str] = None
    max_footprint_lineno: Optional[int] = None
    max_footprint_python_fraction: float = 0.0
    growth_rate: float = 0.0
    native_allocations_mb: float = 0.0
    samples: List[List[float]] = dataclasses.field(default_factory=list)
    gpu: bool = False
    gpu_device: str = ""
    gpu_devices: List[Dict[str, Any]] = dataclasses.field(default_factory=list)
    trace_operators: List[Dict[str, Any]] = dataclasses.field(default_factory=list)
    async_profile: bool = False
    files: Dict[str, File] = dataclasses.field(default_factory=dict)
    stacks: List[Stack] = dataclasses.field(default_factory=list)  # combined_stacks of the document
    memory_stacks: List[Stack] = dataclasses.field(default_factory=list)
    processes: List[Process] = dataclasses.field(default_factory=list)
    threads: List[Thread] = dataclasses.field(default_factory=list)
    totals: Totals = dataclasses.field(default_factory=Totals)
    quality: Quality = dataclasses.field(default_factory=Quality)
    document: Dict[str, Any] = dataclasses.field(default_factory=dict, repr=False)  # all of it, as read

    def hottest(self, count: int = 10) -> List[Tuple[File, Line]]:
        """The lines with the largest share of the time."""
        lines = [(file, line) for file in self.files.values() for line in file.lines if line.percent > 0]
        return sorted(lines, key=lambda pair: -pair[1].percent)[:count]
