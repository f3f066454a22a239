# SPDX-License-Identifier: Apache-2.0
"""A profile to ask about, and `scalene propose` with an environment that has no keys but those given."""

import os
import pathlib

from cli_runner import SCALENE, call
from viewing import document, line_record, write_profile

KEY_NAMES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "GEMINI_API_KEY",
             "GOOGLE_API_KEY", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT", "AWS_ACCESS_KEY_ID",
             "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "AWS_DEFAULT_REGION",
             "AWS_REGION", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "OLLAMA_HOST", "OLLAMA_API_KEY", "SSL_CERT_FILE",
             "CURL_CA_BUNDLE", "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy",
             "NO_PROXY")
PLANTED = "sk-planted-0123456789abcdefghijklmnop"
ID = "AKIAPLANTEDPLANTEDPL"
KEYS = {
    "openai": {"OPENAI_API_KEY": PLANTED},
    "anthropic": {"ANTHROPIC_API_KEY": PLANTED},
    "gemini": {"GOOGLE_API_KEY": PLANTED},
    "azure": {"AZURE_OPENAI_API_KEY": PLANTED},
    "bedrock": {"AWS_ACCESS_KEY_ID": ID, "AWS_SECRET_ACCESS_KEY": PLANTED},
    "ollama": {},
}
PROVIDERS = list(KEYS)
SOURCE = """import json
import math as m, numpy
from os import path


def work(n):
    total = 0
    for i in range(n):
        total += i
    return total


def other():
    return [1] * 10
"""
PATH = "/x/prog.py"


def profile_document(path=PATH, source=SOURCE, **fields):
    numbers = {
        8: {"cpu_python_s": 2.0, "error_percent": 1.5},
        9: {"cpu_python_s": 5.0, "cpu_native_s": 0.5, "error_percent": 2.5, "wait_s": {"gil": 0.25},
            "n_malloc_mb": 120.0, "n_peak_mb": 90.0, "live_at_peak_mb": 80.0, "alloc_error_mb": 4.0,
            "alloc_count": 1000.0, "copy_mb": 30.0, "n_python_fraction": 1.0, "n_core_utilization": 0.5},
        14: {"cpu_python_s": 0.05},
    }
    lines = [line_record(number, text, **numbers.get(number, {}))
             for number, text in enumerate(source.splitlines(), 1)]
    finding = {"id": "hot-line", "severity": "high", "weight": 0.5, "evidence": [],
               "sentence": "prog.py:9 took 58% of the CPU time.", "how_measured": "Sampled.",
               "next_step": "Hand it to one native call.",
               "where": [{"file": path, "line": 9, "function": "work", "thread": None}]}
    made = document({path: lines}, findings=[finding], python_version="3.12.1", program=path,
                    python_executable="/nowhere/python3", filename=str(pathlib.Path(path).parent),
                    args=["--password", "hunter2"], system={"cpus": 8}, memory=True, max_footprint_mb=100.0, alloc_samples=10)
    made.update(fields)
    return made


def clean_environment(**more):
    kept = {name: value for name, value in os.environ.items() if name not in KEY_NAMES}
    return {**kept, "no_proxy": "", **more}


def write(folder, **fields):
    return write_profile(folder, profile_document(**fields))


# A name server that loses a question is asked again after 5 s, which is when the connection is given up.
ASKED_ONCE = {"RES_OPTIONS": "timeout:1 attempts:1"}


def propose(*words, environment=None, **how):
    return call([SCALENE, "propose", *words], env=clean_environment(**(environment or {})), **how)


def loop(lines):
    return ["    for i in range(n):", *["        total += %d * i" % number for number in range(lines)]]


def loops_program(first, second, third):
    """Two loops one after the other, and one far below."""
    return "\n".join(["def f(n, total):", *first, *second, "    return total", "", "", *["x = %d" % i for i in range(12)],
                      "def g(n, total):", *third, "    return total", ""])


def write_loops(folder):
    """A program with three loops, and a profile in which each of their lines is hot, those of the lowest the most."""
    text = loops_program(loop(3), loop(5), loop(4))
    path = folder / "prog.py"
    path.write_text(text)
    lines = [line_record(number, line, **({"cpu_python_s": number * 0.01} if "+=" in line else {}))
             for number, line in enumerate(text.splitlines(), 1)]
    return write_profile(folder, document({str(path): lines}, filename=str(folder), totals={"cpu_python_s": 2.0}))
