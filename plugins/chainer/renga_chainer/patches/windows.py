"""Window sizes of convolutions as Chainer stores them: programs read ``conv.stride[0]`` and ``conv.ksize ** 2``."""

from __future__ import annotations

from typing import Any

from renga_chainer.scope import called_by_renga
from renga_nn.links import Deconvolution2D, DepthwiseConvolution2D, LocalConvolution2D
from renga_nn.links.convolution_2d import FiltersOverImages
from renga_nn.links.filters import Filters

__all__ = ["ADDITIONS", "given_ksize"]

_GIVEN = "_given_ksize"
_filters = Filters.__init__
_depthwise = DepthwiseConvolution2D.__init__


def filters(
    self: Filters, n_axes: int, in_channels: int | None, out_channels: int | None, ksize: Any, *rest: Any
) -> None:
    """Like Renga's, with Chainer's attributes."""
    _filters(self, n_axes, in_channels, out_channels, ksize, *rest)
    of_images = isinstance(self, (FiltersOverImages, Deconvolution2D))
    _store(self, out_channels if ksize is None else ksize, *(("stride", "pad") if of_images else ()), "dilate")


def depthwise(
    self: DepthwiseConvolution2D, in_channels: int | None, channel_multiplier: int, ksize: Any, *args: Any, **named: Any
) -> None:
    """Like Renga's, with Chainer's attributes."""
    _depthwise(self, in_channels, channel_multiplier, ksize, *args, **named)
    _store(self, ksize, "stride", "pad")


def _store(link: Any, ksize: Any, *names: str) -> None:
    """Store the window as it was given, and the attributes of these names as tuples of a number for each axis."""
    attributes = link.__dict__
    for name in names:
        if not isinstance(attributes[name], (tuple, list)):
            attributes[name] = (attributes[name],) * len(attributes["ksize"])
    attributes[_GIVEN] = ksize


def given_ksize(link: Any) -> Any:
    """Return the size of a link's window as it was given; one number for equal sides if that is not known."""
    stored = link.__dict__["ksize"]
    return link.__dict__.get(_GIVEN, stored if len(set(stored)) > 1 else stored[0])


class _Ksize:
    """The size of the window as it was given; Renga's own code gets a tuple."""

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        if "ksize" not in instance.__dict__:
            raise AttributeError(f"{type(instance).__name__!r} object has no attribute 'ksize'")
        return instance.__dict__["ksize"] if called_by_renga() else given_ksize(instance)

    def __set__(self, instance: Any, value: Any) -> None:
        axes = len(instance.__dict__.get("ksize", ()))
        instance.__dict__.pop(_GIVEN, None)
        instance.__dict__["ksize"] = value if isinstance(value, (tuple, list)) else (value,) * axes


ADDITIONS: list[tuple[type, str, Any]] = [
    (Filters, "__init__", filters),
    (DepthwiseConvolution2D, "__init__", depthwise),
    *[
        (cls, "ksize", _Ksize())
        for cls in (FiltersOverImages, Deconvolution2D, DepthwiseConvolution2D, LocalConvolution2D)
    ],
]
