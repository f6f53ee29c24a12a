"""``renga run-chainer SCRIPT …`` and ``python -m renga_chainer SCRIPT …``."""

from __future__ import annotations

import builtins
import os
import runpy
import sys
import zipfile
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec
from types import ModuleType, TracebackType

import numpy

import renga_chainer

__all__ = ["run"]

USAGE = """usage: renga run-chainer [--replace] SCRIPT [ARGUMENT …]
       renga run-chainer [--replace] -m MODULE [ARGUMENT …]

Run a Python program written for Chainer, ChainerMN or ChainerCV unmodified: their imports resolve to Renga.

  --replace  hide a real Chainer, if one is installed"""

_INTERRUPTED = 130
"""Exit status of a program that SIGINT ended."""


def run(argv: Sequence[str]) -> int:
    """Run the program that `argv` names, with the rest of `argv` as its arguments. It may raise `SystemExit`.

    `sys.excepthook` shows uncaught exceptions, with a traceback that begins in the program.

    Returns:
        The exit status: 0; 1 after an exception, 130 after an interrupt; 2 if there is nothing to run.
    """
    rest = list(argv)
    replace = rest[:1] == ["--replace"]
    if replace:
        del rest[0]
    if rest[:1] in (["-h"], ["--help"]):
        print(USAGE)
        return 0
    if rest[:1] == ["--"]:  # the end of options
        del rest[0]
    as_module = rest[:1] == ["-m"]
    if as_module:
        del rest[0]
    if not rest or rest[0].startswith("-"):
        wrong = f"unrecognized argument {rest[0]!r}" if rest else "no program to run"
        return _refuse(f"{wrong}. See 'renga run-chainer --help'.")
    if not as_module and not os.path.exists(rest[0]):
        return _refuse(f"there is no file {rest[0]!r}")
    if not as_module and os.path.isdir(rest[0]) and not os.path.isfile(os.path.join(rest[0], "__main__.py")):
        return _refuse(f"{rest[0]!r} is a folder without a __main__.py. Give the program: a file")
    try:
        # Imported only now, so that --help need not wait for all modules, CuPy among them.
        renga_chainer.install(replace=replace, everywhere=True)
    except (RuntimeError, TypeError, ValueError) as error:
        return _refuse(str(error))
    sys.argv[:] = rest
    sys.path.insert(0, os.getcwd() if as_module else os.path.dirname(os.path.abspath(rest[0])))
    if as_module and not _is_there(rest[0]):
        return _refuse(f"there is no module named {rest[0]!r}")
    try:
        if as_module:
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        elif os.path.isfile(rest[0]) and not zipfile.is_zipfile(rest[0]):
            _run_file(os.path.abspath(rest[0]))
        else:  # a folder or an archive with a __main__.py
            runpy.run_path(rest[0], run_name="__main__")
    except Exception as error:
        _show(error)
        return 1
    except KeyboardInterrupt as interrupt:
        _show(interrupt)
        return _INTERRUPTED
    return 0


def _refuse(message: str) -> int:
    print(f"renga run-chainer: {message}", file=sys.stderr)
    return 2


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # its package is missing
        return False


def _run_file(path: str) -> None:
    """Run as Python does: in a new `__main__` module. The module stays, because objects of the program may need it."""
    loader = SourceFileLoader("__main__", path)
    main = ModuleType("__main__")
    vars(main).update(__file__=path, __loader__=loader, __builtins__=builtins, __package__=None, __cached__=None)
    sys.modules["__main__"] = main
    exec(loader.source_to_code(loader.get_data(path), path), vars(main))


def _show(error: BaseException) -> None:
    """Show an uncaught exception as Python does, without the frames of Renga before the program."""
    traceback = error.__traceback__
    while traceback is not None and _is_ours(traceback):
        traceback = traceback.tb_next
    if isinstance(error, TypeError) and "only 0-dimensional arrays can be converted" in str(error):
        error.add_note(
            f"NumPy {numpy.__version__} takes float(x) and int(x) of arrays without axes only; Programs for Chainer "
            f"also pass arrays with one element. Next: pip install 'renga[chainer]', which brings a NumPy before 2.4"
        )
    sys.excepthook(type(error), error.with_traceback(traceback), traceback)


def _is_ours(traceback: TracebackType) -> bool:
    name = traceback.tb_frame.f_code.co_filename
    return name == __file__ or name.startswith(("<frozen runpy>", "<frozen importlib"))
