"""``chainer._runtime_info``."""

from __future__ import annotations

import sys
from typing import Any, TextIO

from renga_chainer import runtime_info

__all__ = ["print_runtime_info"]


def print_runtime_info(out: TextIO | Any | None = None) -> None:
    """Print which version of Chainer Renga replaces, and the output of `renga.print_runtime_info`.

    Args:
        out: File to print to; standard output if None.
    """
    file = sys.stdout if out is None else out
    print("Chainer: 7.8.1, provided by Renga (renga_chainer)", file=file)
    print("ChainerX: Not Available\niDeep: Not Available", file=file)
    runtime_info.print_runtime_info(file)
    if hasattr(file, "flush"):
        file.flush()
