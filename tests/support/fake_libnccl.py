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
FLAGS = ("-std=c11", "-D_GNU_SOURCE", "-g", "-fPIC", "-shared", "-pthread", "-Wall", "-Wextra", "-Werror")


class NoCompilerError(RuntimeError):
    """There is no C compiler, or the stand-in cannot run on this system."""


@functools.cache
def library(version: int = NEWEST, sanitize: str = "") -> Path:
    """The path of the shared library, which is built if it is not there yet.

    Args:
        version: what ``ncclGetVersion`` says; functions that came later are left out, as in an older library.
        sanitize: what ``-fsanitize=`` gets, for example ``"address,undefined"``; empty for none.

    Raises:
        NoCompilerError: no C compiler, or not on Linux. Tests skip with its message.
        RuntimeError: the compiler refused the sources; the message holds what it said.
    """
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler or not shutil.which(compiler):
        raise NoCompilerError("the stand-in for libnccl needs a C compiler (cc)")
    if os.uname().sysname != "Linux":
        raise NoCompilerError("the stand-in for libnccl needs Linux (memfd_create, /proc)")
    sources = sorted(FOLDER.glob("*.c"))
    flags = [*FLAGS, f"-DFAKE_NCCL_VERSION={version}", *(["-O1", f"-fsanitize={sanitize}"] if sanitize else ["-O2"])]
    digest = hashlib.sha256(repr((compiler, flags)).encode())
    for path in sorted([*sources, *FOLDER.glob("*.h")]):
        digest.update(path.name.encode() + path.read_bytes())
    folder = Path(tempfile.gettempdir()) / f"renga-fake-nccl-{getpass.getuser()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    result = folder / f"libnccl-{digest.hexdigest()[:16]}.so"
    if not result.exists():
        # Built beside and renamed: several test processes may build at the same time.
        with tempfile.TemporaryDirectory(dir=folder) as own:
            built = Path(own) / "libnccl.so"
            command = [compiler, *flags, "-o", str(built), *map(str, sources)]
            run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
            if run.returncode:
                raise RuntimeError(f"{' '.join(command)}\n{run.stderr}")
            built.replace(result)
    return result
