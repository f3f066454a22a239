# SPDX-License-Identifier: Apache-2.0
"""`python -m scalene.set_nvidia_gpu_modes`: there was a time when a GPU's modes had to be set for it to be profiled."""

from __future__ import annotations


def main() -> None:
    print("Nothing has to be set: scalene measures NVIDIA GPUs as they are, and changes no device.")


if __name__ == "__main__":
    main()
