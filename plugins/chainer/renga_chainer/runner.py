"""``renga run-chainer SCRIPT …`` and ``python -m renga_chainer SCRIPT …``."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence

from renga_chainer.finder import install

__all__ = ["run"]

USAGE = """usage: renga run-chainer [--replace] SCRIPT [ARGUMENT …]
       renga run-chainer [--replace] -m MODULE [ARGUMENT …]

Run a Python program written for Chainer, ChainerMN or ChainerCV as it is: what it imports of them is Renga.

  --replace  also where a real Chainer is installed"""


def run(argv: Sequence[str]) -> int:
    """Run the program that `argv` names, with the rest of `argv` as its arguments; it may end by `SystemExit`."""
    rest = list(argv)
    replace = rest[:1] == ["--replace"]
    if replace:
        del rest[0]
    if rest[:1] in (["-h"], ["--help"]):
        print(USAGE)
        return 0
    as_module = rest[:1] == ["-m"]
    if as_module:
        del rest[0]
    if not rest or rest[0].startswith("-"):
        print(USAGE, file=sys.stderr)
        return 2
    if not as_module and not os.path.exists(rest[0]):
        print(f"renga run-chainer: there is no file {rest[0]!r}", file=sys.stderr)
        return 2
    install(replace=replace)
    sys.argv[:] = rest
    if as_module:
        sys.path.insert(0, os.getcwd())
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(rest[0])))
        runpy.run_path(rest[0], run_name="__main__")
    return 0
