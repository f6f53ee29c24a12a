"""NVRTC compiles all kernels of the plugin, as CuPy would give them to it, for GPUs from Volta to Blackwell.

No GPU is needed, but CuPy and NVRTC (see README.md in this folder).
"""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PLUGIN = Path(importlib.util.find_spec("renga_backend_cupy").origin).parent
MAKES_KERNELS = re.compile(r"^[^#\n]*cupy\.(ElementwiseKernel|RawModule|RawKernel)\(", re.MULTILINE)

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("cupy") is None, reason="CuPy is not installed: pip install '.[cuda13]'"
    ),
    pytest.mark.slow,
    pytest.mark.timeout(900),  # minutes the first time, a second when the sources are known
]


def run(*command):
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, timeout=880, cwd=HERE, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def report():
    return json.loads(run("compile_kernels.py").splitlines()[-1])


def test_all_kernels_compile(report):
    failures = [f"{label}:\n{message}" for label, message in report["failures"].items()]
    assert not failures, f"{len(failures)} kernels do not compile:\n" + "\n".join(failures[:5])
    # Each floating dtype, each architecture: several times as many as there are kernels.
    assert report["compiled"] + report["known"] >= 2 * report["kernels"] * len(report["architectures"])


def test_these_are_all_kernels(report):
    """Each module that makes kernels is among those whose kernels were compiled."""
    for path in PLUGIN.rglob("*.py"):
        if MAKES_KERNELS.search(path.read_text()):
            name = ".".join(("renga_backend_cupy", *path.relative_to(PLUGIN).with_suffix("").parts))
            assert name in report["modules"], f"kernels of {name} were not compiled: are they made at import?"


def test_recent_architectures_are_compiled_for(report):
    assert {"75", "80", "86", "90", "100"} <= {*report["architectures"]}, report["not supported by this NVRTC"]


@pytest.mark.parametrize(
    ("body", "message"), [("x[0] = y;", 'identifier "y" is undefined'), ("x[0] = 1;", None)], ids=["wrong", "right"]
)
def test_a_wrong_kernel_is_found(body, message):
    program = f"""
from compile_kernels import compile_one
from kernel_sources import complete
print(compile_one(*complete('extern "C" __global__ void f(float* x) {{ {body} }}'), "80"))
"""
    out = run("-c", program)
    assert out == "None\n" if message is None else message in out
