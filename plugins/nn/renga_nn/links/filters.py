"""The base of convolutional layers, with filters that may be initialized at the first input."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from renga_core.backend import Array, get_array_module
from renga_core.graph import Parameter
from renga_core.link import Link
from renga_nn.functions.window import per_axis
from renga_nn.initializers import Initializer, get_initializer
from renga_nn.initializers.initializer import RandomInitializer
from renga_nn.links.bias import bias

__all__ = ["Filters", "in_shape"]


class Filters(Link):
    """The base of convolutions and deconvolutions.

    Args:
        n_axes: Number of spatial axes.
        in_channels: Number of input channels; None: from the first input.
        out_channels: Number of output channels.
        ksize: Filter size; None for the short form without `in_channels`.
        stride, pad, nobias, initialW, initial_bias, dilate, groups: See `Convolution2D`.
    """

    b: Parameter | None

    def __init__(
        self,
        n_axes: int,
        in_channels: int | None,
        out_channels: int | None,
        ksize: int | Sequence[int] | None,
        stride: int | Sequence[int],
        pad: int | Sequence[int],
        nobias: bool,
        initialW: Any,
        initial_bias: Any,
        dilate: int | Sequence[int],
        groups: int,
    ) -> None:
        super().__init__()
        name, n_axes = type(self).__name__, index(n_axes)
        if ksize is None:
            in_channels, out_channels, ksize = None, in_channels, out_channels
        if ksize is None or out_channels is None:
            axes = f"{n_axes}, " if name.endswith("ND") else ""
            raise TypeError(
                f"{name} needs the number and the size of its filters: {name}({axes}None, 16, 3) or {name}({axes}16, 3)"
            )
        self.out_channels = out_channels
        self.ksize = per_axis(name, "ksize", ksize, n_axes)
        self.stride = stride
        self.pad = pad
        self.dilate = dilate
        self.groups = index(groups)
        self._check_groups(out_channels)
        with self.init_scope():
            self.W = Parameter(get_initializer(initialW))
            self.b = None if nobias else bias(initial_bias, out_channels)
        if in_channels is not None:
            self._initialize(in_channels)

    def _filter_channels(self, in_channels: int) -> tuple[int, int]:
        """The first two sizes of `W`."""
        raise NotImplementedError

    def _initialize(self, in_channels: int) -> None:
        self._check_groups(in_channels)
        self.W.initialize((*self._filter_channels(in_channels), *self.ksize))

    def _check_groups(self, channels: int) -> None:
        if self.groups < 1 or channels % self.groups:
            raise ValueError(f"{type(self).__name__}: groups={self.groups} does not divide {channels} channels")


def in_shape(initializer: Any, shape: tuple[int, ...]) -> Any:
    """An initializer that fills weights as if they had another shape, ``(outputs, inputs, *window)``.

    For random initializers this shape determines fan-in and fan-out. Other initializers are returned unchanged.
    """
    return _InShape(initializer, shape) if isinstance(initializer, RandomInitializer) else initializer


class _InShape(Initializer):
    """Wraps an initializer for another shape."""

    def __init__(self, initializer: RandomInitializer, shape: tuple[int, ...]) -> None:
        super().__init__(initializer.dtype)
        self.initializer = initializer
        self.shape = shape

    def __call__(self, array: Array) -> None:
        made = get_array_module(array).empty(self.shape, dtype=array.dtype)
        self.initializer(made)
        array[...] = made.reshape(array.shape)
