"""cuDNN accepts every graph that the plugin describes, as far as it can tell without a GPU.

Needs cuDNN, its frontend and a C compiler (see README.md in this folder).
"""

import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("cudnn") is None, reason="cuDNN's frontend is not installed: pip install '.[cuda13]'"
    ),
    pytest.mark.skipif(shutil.which("cc") is None or platform.machine() != "x86_64", reason="no C compiler for x86-64"),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Run a program in which cuDNN finds the stub in place of NVIDIA's driver."""
    folder = tmp_path_factory.mktemp("driver")
    source, library = HERE / "stub_driver.c", folder / "libcuda.so.1"
    subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", str(library), str(source)], check=True)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder)}

    def run(*command):
        done = subprocess.run(
            [sys.executable, *command],
            capture_output=True,
            text=True,
            timeout=280,
            env=environment,
            cwd=HERE,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="module")
def report(run):
    return json.loads(run("cudnn_graphs.py").splitlines()[-1])


def test_all_graphs_are_accepted(report):
    failures = [f"{context}: {message}" for context, message in report["failures"].items()]
    assert not failures, f"{len(failures)} graphs are refused:\n" + "\n".join(failures[:5])


@pytest.mark.parametrize("node", ["conv_fprop", "conv_dgrad", "conv_wgrad"])
@pytest.mark.parametrize("dtype", ["HALF", "FLOAT", "DOUBLE"])
def test_convolutions_were_among_them(report, node, dtype):
    assert report["built"][f"{node} {dtype}"] >= 10


@pytest.mark.parametrize("node", ["sdpa", "sdpa_backward"])
@pytest.mark.parametrize("dtype", ["HALF", "BFLOAT16"])
def test_attention_was_among_them(report, node, dtype):
    assert report["built"][f"{node} {dtype}"] >= 2


@pytest.mark.parametrize("node", ["batchnorm", "batchnorm_backward"])
@pytest.mark.parametrize("dtype", ["HALF", "BFLOAT16", "FLOAT"])
def test_batch_normalizations_were_among_them(report, node, dtype):
    assert sum(count for name, count in report["built"].items() if name.startswith(node) and dtype in name) >= 2


def test_a_wrong_graph_is_found(run):
    """One whose strides are zero."""
    program = """
import json
import cudnn_graphs
fakes = cudnn_graphs.install()
from renga_backend_cupy.kernels import cudnn as ours
right = ours.strides_of
ours.strides_of = lambda shape, last: [0 * step for step in right(shape, last)]
import warnings
warnings.simplefilter("ignore")
cudnn_graphs.run_all(fakes)
print(len(cudnn_graphs.failures))
"""
    assert int(run("-c", program)) > 10
