"""`Training`: base of the optimizer kit: a link with a few shapes, and updates with known gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import numpy as np

from renga_core.backend import Device, get_device
from renga_core.kinds import OPTIMIZER
from renga_core.link import Link
from renga_testing.suites.suite import ProviderSuite

__all__ = ["SHAPES", "Host", "Training", "gradient", "made_link", "on_host"]

Host = np.ndarray[Any, Any]

DTYPES = ("float16", "float32", "float64")
TOLERANCES = {"float16": 2e-2, "float32": 2e-6, "float64": 1e-10}
SHAPES = {"matrix": (3, 4), "zero_dimensional": (), "empty": (2, 0)}


class Training(ProviderSuite):
    """Common base of the tests of an optimizer."""

    kind = OPTIMIZER
    tolerances: ClassVar[Mapping[str, float]] = TOLERANCES
    steps: ClassVar[int] = 4

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """Dtypes and backends."""
        return {**super().parameters(), "dtype": DTYPES}

    def set_up(self, dtype: str, device: Device | None = None) -> tuple[Any, Any]:
        """A new optimizer, and the link that it updates."""
        optimizer, link = self.make(), made_link(dtype)
        if dtype == "float16":
            optimizer.use_fp32_update()  # defaults such as eps=1e-8 are zero in half precision
        if device is not None:
            link.to_device(device)
        return optimizer.setup(link), link

    def train(
        self,
        optimizer: Any,
        link: Any,
        steps: int,
        first: int = 0,
        skip: str = "",
        gradients_in: str = "",
        change: Callable[[Host], Host] = lambda g: g,
    ) -> None:
        """Some updates, with gradients that depend only on the number of the step."""
        for t in range(first, first + steps):
            link.cleargrads()
            self.give_gradients(link, t, skip, gradients_in, change)
            optimizer.update()

    def give_gradients(
        self, link: Any, t: int, skip: str = "", gradients_in: str = "", change: Callable[[Host], Host] = lambda g: g
    ) -> None:
        """The gradients of step `t`, for all parameters but `skip`."""
        for name, shape in SHAPES.items():
            param = getattr(link, name)
            if name != skip:
                dtype = str(param.dtype).rpartition(".")[2]
                drawn = change(gradient(t, shape, gradients_in or dtype).astype(dtype))
                param.grad = param.device.send(drawn)

    def trained(self, steps: int = 3, dtype: str = "float64") -> Host:
        """Run some updates, and return the resulting matrix."""
        optimizer, link = self.set_up(dtype)
        self.train(optimizer, link, steps)
        return on_host(link.matrix)


def on_host(param: Any) -> Host:
    """A copy of a parameter's array."""
    return np.array(get_device("numpy").send(param.array))


def made_link(dtype: str) -> Any:
    """A link with a parameter of each shape."""
    link = Link(**{name: (shape, np.dtype(dtype)) for name, shape in SHAPES.items()})
    for name, shape in SHAPES.items():
        size = int(np.prod(shape))
        # Nonzero values that are exact in half precision.
        getattr(link, name).array[...] = (np.arange(size, dtype=np.float64).reshape(shape) + 1) / 8
    return link


def gradient(t: int, shape: tuple[int, ...], dtype: str) -> Host:
    """The gradient of step `t`: multiples of one eighth, never zero."""
    drawn = np.random.default_rng(t).integers(1, 9, shape) / 8
    return np.asarray(drawn * np.random.default_rng(t + 100).choice([-1, 1], shape)).astype(dtype)
