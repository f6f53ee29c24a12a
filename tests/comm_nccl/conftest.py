from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import fake_libnccl
import pytest

from renga_backend_cupy.plugin import renga_kernels

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def fake_environment() -> dict[str, str]:
    """Variables of a process that takes the stand-ins for CuPy and libnccl for the real ones."""
    try:
        library = fake_libnccl.library()
    except fake_libnccl.NoCompilerError as error:
        pytest.skip(str(error))
    path = os.pathsep.join([str(HERE / "fake_site"), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep)
    return {"RENGA_NCCL_LIBRARY": str(library), "PYTHONPATH": path}


@pytest.fixture
def reference_kernels(tmp_path: Path) -> None:
    """Settings by which references compute: the stand-in for CuPy compiles no kernels."""
    lines = [f'{op} = "reference"' for op in sorted({kernel.op for kernel in renga_kernels()})]
    (tmp_path / "pyproject.toml").write_text("\n".join(["[tool.renga.kernels]", *lines]), encoding="utf-8")


@pytest.fixture
def launch(fake_environment, tmp_path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a program of the folder `programs` on ranks, in a folder of the test's own."""

    def run(
        program: str, *arguments: str, size: int = 2, variables: Mapping[str, str] = {}, command: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[str]:
        ranks = [sys.executable, "-m", "renga", "launch", "-n", str(size), "--communicator", "pure_nccl"]
        return subprocess.run(
            [*ranks, *(command or (sys.executable,)), str(HERE / "programs" / f"{program}.py"), *arguments],
            cwd=tmp_path,
            env=os.environ | fake_environment | dict(variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run
