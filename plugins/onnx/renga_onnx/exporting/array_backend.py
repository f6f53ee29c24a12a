"""The backend of recorded arrays, for code that is written for any backend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from renga_core.backend import Backend
from renga_core.backend.lookup import array_types
from renga_onnx.exporting.arrays import Drawn, Host, Recorded, before_call, is_noting, outputs_of, plain, tell, told

__all__ = ["RECORDED", "RecordedGenerator"]

RECORDED = "recorded"
"""Name of the backend. It is not a plugin, so it cannot be requested by name."""


class _Namespace:
    """NumPy's namespace; newly created arrays are `Recorded`."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def asarray(self, value: Any, dtype: Any = None, **kwargs: Any) -> Any:
        if isinstance(value, Recorded):
            return value.astype(value.dtype if dtype is None else dtype, copy=False)
        return np.asarray(value, dtype, **kwargs).view(Recorded)

    def arange(self, *args: Any, **kwargs: Any) -> Any:
        result = np.arange(*args, **kwargs)
        if not is_noting() or len(args) > 1 or result.dtype.kind not in "iu" or kwargs.keys() - {"dtype"}:
            return result.view(Recorded)
        return told("arange", [], {}, result)

    def ascontiguousarray(self, value: Any, dtype: Any = None) -> Any:
        return self.asarray(value, dtype)

    def array(self, value: Any, dtype: Any = None, **kwargs: Any) -> Any:
        return np.copy(self.asarray(value, dtype, **kwargs), subok=True)

    def zeros(self, *args: Any, **kwargs: Any) -> Any:
        return np.zeros(*args, **kwargs).view(Recorded)

    def ones(self, *args: Any, **kwargs: Any) -> Any:
        return np.ones(*args, **kwargs).view(Recorded)

    def full(self, shape: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(value, Recorded):
            return np.full(shape, value, *args, **kwargs).view(Recorded)
        made = self.zeros(shape, kwargs.get("dtype", value.dtype))
        made[...] = value
        return made

    def empty(self, *args: Any, **kwargs: Any) -> Any:
        return np.zeros(*args, **kwargs).view(Recorded)


class _RecordedBackend(Backend):
    """Use no kernels of libraries for recorded arrays: references compute them, operation by operation."""

    name = RECORDED
    xp = _Namespace()
    array_types = (Recorded,)
    scalar_types = (np.generic,)

    def asarray(self, value: object, index: int = 0) -> Any:
        return self.xp.asarray(value)

    def to_host(self, array: Any) -> Host:
        return np.asarray(array)

    def from_dlpack(self, array: Any) -> Any:
        return np.from_dlpack(array)

    def make_generator(self, seed: int) -> Any:
        raise NotImplementedError("a function draws random numbers in forward")

    def generator_state(self, generator: Any) -> dict[str, Any]:
        raise NotImplementedError

    def set_generator_state(self, generator: Any, state: Mapping[str, Any]) -> None:
        raise NotImplementedError

    def scatter_add(self, target: Any, index: Any, values: Any) -> None:
        np.add.at(target, index, values)

    def sliding_windows(self, x: Any, window: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> Any:
        raise NotImplementedError

    def special(self, name: str) -> Callable[..., Any]:
        compute = super().special(name)

        def special(*xs: Any) -> Any:
            result = compute(*plain(xs))
            return told(f"special_{name}", before_call(xs), {}, result) if is_noting() else result

        return special


array_types[Recorded] = _RecordedBackend()


class RecordedGenerator:
    """A generator for a graph that draws new numbers in each run.

    Args:
        generator: The generator that draws now.
    """

    def __init__(self, generator: Any) -> None:
        self._generator = generator

    def __getattr__(self, name: str) -> Any:
        draw = getattr(self._generator, name)
        if name not in ("random", "standard_normal", "normal", "uniform", "integers"):
            return draw

        def drawn(*args: Any, **kwargs: Any) -> Any:
            result = draw(*args, **kwargs)
            numbers = (0.0, 1.0)
            if name in ("normal", "uniform", "integers"):
                names = ("loc", "scale") if name == "normal" else ("low", "high")
                given = {**dict(zip(names, (0.0, 1.0), strict=True)), **dict(zip(names, args, strict=False)), **kwargs}
                numbers = given[names[0]], given[names[1]]
                if name == "integers" and ((len(args) < 2 and "high" not in kwargs) or kwargs.get("endpoint")):
                    return result  # another type
            if not is_noting() or any(map(np.ndim, numbers)):
                return result
            (made,) = outputs_of(result)
            tell(Drawn(kind=name, numbers=numbers), (), (made,))
            return made

        return drawn
