import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture
def exercise():
    """Run `exercise_kernels.py` with some options and variables; what it did, whether or not it failed."""
    if shutil.which("g++") is None or platform.machine() != "x86_64":
        pytest.skip("no g++ for x86-64, to compile kernels for the CPU with")

    def run(*options, without_randomized_addresses=False, **variables):
        command = [sys.executable, str(HERE / "exercise_kernels.py"), *options]
        if without_randomized_addresses:
            command = ["setarch", "-R", *command]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=880, env={**os.environ, **variables}, check=False
        )

    return run


@pytest.fixture
def library():
    """The path of a library of the compiler, such as ``libasan.so``."""

    def path(name):
        done = subprocess.run(["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=False)
        found = done.stdout.strip()
        if not Path(found).is_absolute():
            pytest.skip(f"g++ has no {name}")
        return found

    return path
