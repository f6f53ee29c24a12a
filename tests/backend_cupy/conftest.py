import importlib.util
import platform
import shutil
import sys
from pathlib import Path

import pytest

from renga_core.configuration import global_config

PACKAGE = "renga_backend_cupy"


def beside(name):
    """A module beside this file."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def fakes():
    """The module `fake_cupy.py`."""
    return beside("fake_cupy")


@pytest.fixture(scope="session")
def fake_cudnn():
    """The module `fake_cudnn.py`."""
    return beside("fake_cudnn")


@pytest.fixture(scope="session")
def fake_cublas():
    """The module `fake_cublas.py`."""
    return beside("fake_cublas")


@pytest.fixture
def fake(fakes, fake_cudnn, monkeypatch):
    """Stand-ins for CuPy and cuDNN; the package's modules are imported anew with them, and forgotten afterwards."""
    from renga_nn.functions.connection import convolution_reference

    ours = [name for name in sys.modules if name.partition(".")[0] == PACKAGE]
    for name in ours:
        monkeypatch.delitem(sys.modules, name)
    for name, module in {**fakes.cupy(), **fake_cudnn.cudnn()}.items():
        monkeypatch.setitem(sys.modules, name, module)
    fakes.state.device, fakes.state.devices, fakes.state.log[:] = 0, 2, []
    fakes.ElementwiseKernel.made, fakes.RawModule.made = [], []
    fake_cudnn.PyGraph.refuse_execution = fake_cudnn.PyGraph.serialized = None
    fake_cudnn.PyGraph.refuse, fake_cudnn.PyGraph.built, fake_cudnn.PyGraph.reference = False, 0, convolution_reference
    yield fakes
    global_config.tracers = ()
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


@pytest.fixture
def cublas(fake, fake_cublas, monkeypatch):
    """A stand-in for the library cuBLAS; at the end, no call of it has failed."""
    from renga_backend_cupy import cublas

    library = fake_cublas.Library(lambda run: fake.launch(run))
    monkeypatch.setattr(cublas, "library", lambda: library.functions)
    yield library
    assert not library.failures


@pytest.fixture
def compiled(fake, cublas):
    """The same, where the sources of kernels can be compiled for the CPU."""
    if shutil.which("g++") is None or platform.machine() != "x86_64":
        pytest.skip("no g++ for x86-64, to compile kernels for the CPU with")
    return fake
