import importlib.util
import platform
import shutil
import sys
from pathlib import Path

import pytest

PACKAGE = "renga_backend_cupy"


@pytest.fixture(scope="session")
def fakes():
    """The module `fake_cupy.py` beside this file."""
    spec = importlib.util.spec_from_file_location("fake_cupy", Path(__file__).with_name("fake_cupy.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def fake(fakes, monkeypatch):
    """Stand-ins for CuPy and cuDNN; the package's modules are imported anew with them, and forgotten afterwards."""
    from renga_nn.functions.connection import convolution_reference

    ours = [name for name in sys.modules if name.partition(".")[0] == PACKAGE]
    for name in ours:
        monkeypatch.delitem(sys.modules, name)
    for name, module in {**fakes.cupy(), **fakes.cudnn()}.items():
        monkeypatch.setitem(sys.modules, name, module)
    fakes.state.device, fakes.state.devices, fakes.state.log[:] = 0, 2, []
    fakes.ElementwiseKernel.made = []
    fakes.PyGraph.refuse, fakes.PyGraph.built, fakes.PyGraph.reference = False, 0, convolution_reference
    yield fakes
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


@pytest.fixture
def compiled(fake):
    """The same, where the sources of kernels can be compiled for the CPU."""
    if shutil.which("g++") is None or platform.machine() != "x86_64":
        pytest.skip("no g++ for x86-64, to compile kernels for the CPU with")
    return fake
