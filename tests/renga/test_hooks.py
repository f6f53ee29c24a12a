"""renga.function_hooks, renga.link_hooks."""

import importlib.util

import pytest

import renga


def test_names() -> None:
    assert set(renga.function_hooks.__all__) == {"PrintHook", "TimerHook"}
    assert set(renga.link_hooks.__all__) == {"SpectralNormalization", "TimerHook", "WeightStandardization"}
    with pytest.raises(AttributeError, match="'TimeHook'; it has PrintHook, TimerHook, CUDAProfileHook"):
        _ = renga.function_hooks.TimeHook


@pytest.mark.skipif(importlib.util.find_spec("cupy") is not None, reason="CuPy is here")
@pytest.mark.parametrize("name", ["CUDAProfileHook", "CupyMemoryProfileHook"])
def test_without_cupy(name: str) -> None:
    with pytest.raises(RuntimeError, match=f"{name} needs CuPy, which cannot be imported"):
        getattr(renga.function_hooks, name)
