"""What is said, and done, where oneDNN cannot be used; and choosing it by name where it can."""

import functools
import os
import subprocess
import sys

import numpy as np
import pytest

import renga
import renga.functions as F
from renga_core.kernel.candidates import offered_kernels
from renga_kernels_onednn import library


@pytest.fixture
def without(monkeypatch):
    """A program that has not loaded the library."""
    for name in ("library", "_load"):
        monkeypatch.setattr(library, name, functools.cache(getattr(library, name).__wrapped__))
    monkeypatch.setattr(library.ctypes.util, "find_library", lambda name: None)
    return monkeypatch


def test_the_wheel_is_missing(without):
    without.setattr(library, "DISTRIBUTION", "no-such-distribution")
    assert library.unavailable() == "oneDNN is not installed (no no-such-distribution, no libdnnl of the system)"


def test_a_file_that_is_not_there(without):
    without.setenv(library.VARIABLE, "/nowhere/libdnnl.so")
    assert "/nowhere/libdnnl.so: cannot open shared object file" in library.unavailable()


def test_a_library_that_is_another(without):
    without.setenv(library.VARIABLE, "libc.so.6")
    assert "dnnl_version" in library.unavailable()


def test_another_processor(without):
    without.setattr(library.platform, "machine", lambda: "aarch64")
    assert library.unavailable() == "there is no wheel of oneDNN for Linux on aarch64, only for Linux on x86_64"


@pytest.mark.parametrize("oldest", [(3, 99), (4, 0), (2, 7)])
def test_another_version(without, oldest):
    if library.unavailable():
        pytest.skip("oneDNN is not installed")
    library.library.cache_clear()
    library._load.cache_clear()
    without.setattr(library, "_OLDEST", oldest)
    assert "has another interface" in library.unavailable()


PROGRAM = """
import numpy as np, renga.functions as F, sys
x, W = np.ones((1, 1, 4, 4), "f"), np.ones((1, 1, 3, 3), "f")
print(F.convolution_2d(x, W).array.sum())
"""


def test_the_generic_kernel_computes_without_it():
    environment = {**os.environ, library.VARIABLE: "/nowhere/libdnnl.so"}
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM], env=environment, capture_output=True, text=True
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "36.0\n", "")
    listed = subprocess.run(
        [sys.executable, "-m", "renga", "kernels", "convolution"], env=environment, capture_output=True, text=True
    )
    assert "never: unavailable: oneDNN cannot be loaded: /nowhere/libdnnl.so" in listed.stdout
    demanding = PROGRAM.replace("print(", "with renga.using({'kernels.convolution': 'onednn'}): print(")
    demanded = subprocess.run(
        [sys.executable, "-c", "import renga" + demanding], env=environment, capture_output=True, text=True
    )
    assert "cannot open shared object file" in demanded.stderr


def test_chosen_by_the_name_of_the_plugin():
    if library.unavailable():
        pytest.skip("oneDNN is not installed")
    x, W = np.ones((1, 1, 4, 4), "f"), np.ones((1, 1, 3, 3), "f")
    with renga.using({"kernels.convolution": "onednn"}):
        assert F.convolution_2d(x, W).array.sum() == 36
        with pytest.raises(RuntimeError, match="onednn:onednn_convolution"):
            F.convolution_2d(x.astype("d"), W.astype("d"))


def test_before_numpys_own():
    assert offered_kernels("convolution", "numpy")[0].full_name == "onednn:onednn_convolution"
