"""Description of a network of the zoo, and its inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import renga
import renga.links as L
from renga_core import random

__all__ = ["Input", "Model"]

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Input:
    """An input of a network.

    Attributes:
        shape: Its sizes; names refer to the model's named axes.
        below: With None, values are normally distributed floats. Otherwise integers below this.
        least: The smallest integer.
        scale: Standard deviation of the floats.
        integers: Dtype of integers; that of floats is the network's.
    """

    shape: tuple[int | str, ...]
    below: int | None = None
    least: int = 0
    scale: float = 1.0
    integers: Any = np.int32

    def drawn(self, rng: np.random.Generator, sizes: Mapping[str, int], dtype: Any) -> Array:
        """Values for these sizes of the named axes."""
        shape = [sizes[size] if isinstance(size, str) else size for size in self.shape]
        if self.below is not None:
            return rng.integers(self.least, self.below, shape, dtype=self.integers)
        return (rng.standard_normal(shape) * self.scale).astype(dtype)


@dataclass(frozen=True)
class Model:
    """A network, and how it is called.

    Attributes:
        make: Makes it.
        inputs: Its inputs.
        sizes: Sizes of the named axes in the exported run.
        others: Sizes of the named axes for the comparison of results.
        tolerance: The largest difference from onnxruntime, relative to the largest element of an output.
        slow: It has many parameters or large inputs, so it is tested once, with one opset.
    """

    make: Callable[[], renga.Link]
    inputs: Sequence[Input]
    sizes: Mapping[str, int]
    others: Mapping[str, int]
    tolerance: float = 1e-5
    slow: bool = False

    @property
    def opsets(self) -> tuple[int, ...]:
        """Versions of ONNX's operators that it is exported with."""
        return (17,) if self.slow else (13, 17, 21)

    @property
    def input_shapes(self) -> list[tuple[int | str, ...]]:
        """In the form that `renga.onnx.export` accepts."""
        return [each.shape for each in self.inputs]

    def drawn(self, seed: int, sizes: Mapping[str, int], dtype: Any = np.float32) -> list[Array]:
        """Values of the inputs."""
        rng = np.random.default_rng(seed)
        return [each.drawn(rng, sizes, dtype) for each in self.inputs]

    def network(self) -> renga.Link:
        """The network, with weights that are always the same, and means and variances of a batch of its inputs."""
        state = random.get_state()
        random.seed(0)
        try:
            network = self.make()
            normalizations = [link for link in network.links() if isinstance(link, L.BatchNormalization)]
            decays = [link.decay for link in normalizations]
            rng = np.random.default_rng(0)
            for link in normalizations:
                link.decay = 0.0  # the averages become those of the batch
                # Not 1 and 0: with these, a result without them would be the same.
                link.gamma.array[...] = rng.uniform(0.3, 0.7, link.gamma.shape)
                link.beta.array[...] = rng.normal(0, 0.1, link.beta.shape)
            with renga.using_config("train", bool(normalizations)), renga.no_backprop_mode():
                network(*self.drawn(0, {**self.sizes, "batch": 8}))
            for link, decay in zip(normalizations, decays, strict=True):
                link.decay = decay
        finally:
            random.set_state(state)
        return network
