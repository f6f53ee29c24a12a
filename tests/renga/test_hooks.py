"""renga.function_hooks, renga.link_hooks."""

import importlib.util
import subprocess
import sys

import pytest

import renga
from renga_core.errors import RengaError

WITH_CUPY = ["CUDAProfileHook", "CupyMemoryProfileHook"]


def test_names() -> None:
    assert set(renga.function_hooks.__all__) == {"PrintHook", "ProfileHook", "TimerHook", *WITH_CUPY}
    assert set(renga.link_hooks.__all__) == {"SpectralNormalization", "TimerHook", "WeightStandardization"}
    with pytest.raises(AttributeError, match="'TimeHook'"):
        _ = renga.function_hooks.TimeHook


def test_to_look_at_them_imports_no_cupy() -> None:
    program = "import sys, renga; renga.function_hooks.CUDAProfileHook; sys.exit('cupy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.skipif(importlib.util.find_spec("cupy") is not None, reason="CuPy is here")
@pytest.mark.parametrize("name", WITH_CUPY)
def test_without_cupy(name: str) -> None:
    hook = getattr(renga.function_hooks, name)
    assert isinstance(hook, type)
    with pytest.raises(RengaError, match=f"{name} needs CuPy, which cannot be imported.*(?s:.)*renga.cuda12"):
        hook()
