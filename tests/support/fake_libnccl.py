"""Builds the stand-in for libnccl with the C compiler of the machine, once per state of its sources."""

from __future__ import annotations

import functools
import getpass
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "comm_nccl" / "fake"
NEWEST = 22902
FLAGS = ("-std=c11", "-D_GNU_SOURCE", "-g", "-pthread", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror")


class NoCompilerError(RuntimeError):
    """The C compiler or its sanitizer is missing, or the stand-in cannot run on this system. Tests are skipped."""


@functools.cache
def library(version: int = NEWEST) -> Path:
    """The path of the shared library, which is built if it does not exist yet.

    Args:
        version: Result of ``ncclGetVersion``; later functions are missing, as in an older library.

    Raises:
        NoCompilerError: no C compiler, or not on Linux.
        RuntimeError: The compiler failed; the message contains its output.
    """
    return _build("libnccl.so", ["-O2", "-fPIC", "-shared", f"-DFAKE_NCCL_VERSION={version}"], [])


@functools.cache
def exercise(sanitizer: str) -> Path:
    """The path of a program that uses the whole library under a sanitizer.

    Args:
        sanitizer: Value of ``-fsanitize=``, for example ``"address,undefined"``.

    Raises:
        NoCompilerError: There is no C compiler or sanitizer, or the system is not Linux.
        RuntimeError: the compiler refused the sources.
    """
    flags = ["-O1", f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all"]
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "empty.c")
        empty.write_text("int main(void) { return 0; }\n")
        trial = [_compiler(), *flags, "-o", str(empty.with_suffix("")), str(empty)]
        if subprocess.run(trial, capture_output=True, timeout=100, check=False).returncode:
            raise NoCompilerError(f"the C compiler has no -fsanitize={sanitizer}")
    return _build("exercise", flags, [FOLDER / "exercise" / "exercise.c"])


def _compiler() -> str:
    if os.uname().sysname != "Linux":
        raise NoCompilerError("the stand-in for libnccl needs Linux (memfd_create, /proc)")
    for name in (os.environ.get("CC"), "cc", "gcc", "clang"):
        if name and shutil.which(name):
            return name
    raise NoCompilerError("the stand-in for libnccl needs a C compiler (cc)")


def _build(name: str, own_flags: list[str], more: list[Path]) -> Path:
    command = [_compiler(), *FLAGS, *own_flags]
    sources = sorted(FOLDER.glob("*.c")) + more
    digest = hashlib.sha256(repr(command).encode())
    for path in [*sources, *sorted(FOLDER.glob("*.h"))]:
        digest.update(path.name.encode() + path.read_bytes())
    folder = Path(tempfile.gettempdir()) / f"renga-fake-nccl-{getpass.getuser()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    result = folder / f"{digest.hexdigest()[:16]}-{name}"
    if not result.exists():
        # Built under another name and renamed: several test processes may build at the same time.
        with tempfile.TemporaryDirectory(dir=folder) as own:
            built = Path(own) / name
            command += ["-o", str(built), *map(str, sources)]
            run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
            if run.returncode:
                raise RuntimeError(f"{' '.join(command)}\n{run.stderr}")
            built.replace(result)
    return result
