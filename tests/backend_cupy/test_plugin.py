"""What listing and choosing do without CuPy, and what the probe says."""

import importlib.util
import subprocess
import sys

import pytest

from renga_backend_cupy import plugin
from renga_core.kinds import KERNEL
from renga_core.plugin import registry
from renga_core.plugin.provider import resolve

HERE = importlib.util.find_spec("cupy") is not None


def run(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_neither_import_nor_listing_imports_cupy(tmp_path):
    """A CuPy that fails when it is imported is on the path, so that it counts as installed."""
    for name in ("cupy", "cupyx", "cudnn"):
        (tmp_path / f"{name}.py").write_text("raise AssertionError('imported')")
    program = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
import renga
from renga.cli import main
assert main(["plugins", "list", "--all"]) in (0, None)
assert not {{"cupy", "cupyx", "cudnn"}} & set(sys.modules)
"""
    out = run(program)
    assert "cupy" in out
    assert "max_pooling.cupy" in out


def test_the_probe_says_what_an_import_raised(tmp_path):
    (tmp_path / "cupy.py").write_text("raise ImportError('libnvrtc.so.12 is missing')")
    out = run(f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
from renga_backend_cupy.probe import unavailable
print(unavailable())
""")
    assert out == "CuPy cannot be imported: libnvrtc.so.12 is missing\n"


@pytest.mark.skipif(HERE, reason="CuPy is installed")
def test_without_cupy_it_is_unavailable_with_the_next_step():
    from renga_core.backend import get_backend
    from renga_core.plugin import ProviderUnavailable

    with pytest.raises(
        ProviderUnavailable, match=r"module 'cupy' is not installed.*\n?.*pip install 'renga\[cuda13\]'"
    ):
        get_backend("cupy")


def test_the_probe(fake, monkeypatch):
    from renga_backend_cupy.probe import unavailable

    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert unavailable() is None
    fake.state.devices = 0
    assert unavailable() == "CuPy 14.0.0 finds no NVIDIA GPU"
    fake.state.devices = fake.FakeError("driver too old")
    assert unavailable() == "CuPy 14.0.0 finds no NVIDIA GPU that it could use: driver too old"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "9")
    assert "driver too old; CUDA_VISIBLE_DEVICES='9' may hide it" in unavailable()
    fake.state.devices = 0
    assert "no NVIDIA GPU; CUDA_VISIBLE_DEVICES='9' may hide it" in unavailable()
    monkeypatch.setattr(sys.modules["cupy"], "__version__", "13.6.0")
    assert unavailable() == "CuPy 13.6.0 is installed, and this backend needs CuPy 14 or newer"


def test_cupy_without_cublas(fake):
    from renga_backend_cupy.probe import no_cublas

    assert no_cublas().startswith("CuPy is there, and cuBLAS cannot be loaded: ")
    fake.state.devices = 0
    assert no_cublas() == "CuPy 14.0.0 finds no NVIDIA GPU"


def test_each_target_exists(fake):
    """Every target and predicate that is registered can be imported, where CuPy and cuDNN can."""
    for provider in (*plugin.renga_array_backends(), *plugin.renga_kernels()):
        for name in (provider.target, provider.probe, getattr(provider, "supports", "")):
            if name:
                assert resolve(name) is not None


def test_kernels_are_for_operations_that_there_are():
    from renga_core.kernel import operations
    from renga_core.kinds import FUNCTION, OPTIMIZER, OPTIMIZER_HOOK

    for kind in (FUNCTION, OPTIMIZER, OPTIMIZER_HOOK):
        for name in registry(kind).names():
            registry(kind).load(name)
    kernels = {k.op for k in plugin.renga_kernels()}
    assert kernels <= set(operations)
    offered = {c.offer.provider.op for c in registry(KERNEL).list() if c.offer.plugin.name == "cupy"}
    assert offered == kernels
