"""Chainer's text form of links: arguments of three kinds of layers, and children in the order of their names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from renga_chainer.patches.windows import given_ksize
from renga_core.graph import VariableNode
from renga_core.link import Chain, Link
from renga_nn.links import BatchNormalization, Convolution2D, Linear

__all__ = ["ADDITIONS"]

Specs = Iterator[tuple[str, Any]]


def _nothing(self: Link) -> Specs:
    """Return no arguments."""
    return iter(())


def _linear(self: Linear) -> Specs:
    """Return the sizes."""
    yield "in_size", self.in_size
    yield "out_size", self.out_size
    yield "nobias", self.b is None


def _convolution(self: Convolution2D) -> Specs:
    """Return sizes, stride and so on; the size of the window as it was given, others as pairs."""

    def pair(x: Any) -> Any:
        return x if hasattr(x, "__getitem__") else (x, x)

    yield "in_channels", self.W.shape[1] * self.groups if self.W.is_initialized else None
    yield "out_channels", self.out_channels
    yield "ksize", given_ksize(self)
    yield "stride", pair(self.stride)
    yield "pad", pair(self.pad)
    yield "nobias", self.b is None
    yield "dilate", pair(self.dilate)
    yield "groups", self.groups


def _batch_normalization(self: BatchNormalization) -> Specs:
    """Return size, decay and so on."""
    mean = self.avg_mean
    yield "size", None if mean is None else mean.shape[0]
    yield "decay", self.decay
    yield "eps", self.eps
    yield "dtype", None if mean is None else mean.dtype
    yield "use_gamma", hasattr(self, "gamma")
    yield "use_beta", hasattr(self, "beta")


def _children(self: Chain) -> Specs:
    """Return the children, by name."""
    return self._named_children()


def _label(self: Any) -> str:
    """Return ``(2, 3), float32``; ``(3), float32``; only the dtype for arrays without axes."""
    return f"({', '.join(map(str, self.shape))}), {self.dtype}" if len(self.shape) else str(self.dtype)


ADDITIONS: list[tuple[Any, str, Any]] = [
    (Link, "printable_specs", property(_nothing)),
    (Linear, "printable_specs", property(_linear)),
    (Convolution2D, "printable_specs", property(_convolution)),
    (BatchNormalization, "printable_specs", property(_batch_normalization)),
    (Chain, "_printable_parts", _children),
    (VariableNode, "label", property(_label)),
]
