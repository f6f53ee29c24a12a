"""Convolution over any number of axes, as the three operations that differentiate into one another.

Three arrays are related: images ``x (N, C, *size)``, filters ``W (O, C / groups, *ksize)`` and maps ``y (N, O, *out)``.
Convolution is linear in `x` and in `W`. So each of the three operations here computes one array from the other two, and
the gradients of each are the other two operations, to any order:

=================  =====================  ==============================================
node               computes               gradients
=================  =====================  ==============================================
`Convolution`      ``y`` from ``x, W``    of ``x`` by `Deconvolution`, of ``W`` by `FilterGradient`
`Deconvolution`    ``x`` from ``y, W``    of ``y`` by `Convolution`, of ``W`` by `FilterGradient`
`FilterGradient`   ``W`` from ``x, y``    of ``x`` by `Deconvolution`, of ``y`` by `Convolution`
=================  =====================  ==============================================

The size of the result is always given, so `cover_all` and similar options need no further treatment: windows beyond the
padded image see zeros, and elements that no window reaches are zero.

The reference implementations are in `convolution_reference`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend, is_floating
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_core.kernel import Operation
from renga_nn.functions.checks import as_integer, require_array
from renga_nn.functions.connection import convolution_reference as reference

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["Convolution", "Deconvolution", "FilterGradient", "Geometry", "check_operands"]

Ints = tuple[int, ...]

_SAMPLES = "renga_nn.functions.example_arguments"
CONVOLUTION = Operation("convolution", reference.convolution, samples=f"{_SAMPLES}:convolution")
DECONVOLUTION = Operation("deconvolution", reference.deconvolution, samples=f"{_SAMPLES}:deconvolution")
FILTER_GRADIENT = Operation(
    "convolution_filter_gradient",
    reference.filter_gradient,
    samples=f"{_SAMPLES}:convolution_filter_gradient",
)


def _parameter_gradients(
    x: Array, y: Array, stride: Ints, pad: Ints, dilate: Ints, groups: int, ksize: Ints
) -> tuple[Array, Array]:
    """`FILTER_GRADIENT` with the best implementation, and the gradient of biases: the sum of each map."""
    return _compute(FILTER_GRADIENT, x, y, stride, pad, dilate, groups, ksize), _sum_over_maps(y)


PARAMETER_GRADIENTS = Operation(
    "convolution_parameter_gradients",
    _parameter_gradients,
    samples=f"{_SAMPLES}:convolution_filter_gradient",
)


@dataclass(frozen=True, slots=True)
class Geometry:
    """The window's parameters, which the three operations share.

    Attributes:
        stride, pad, dilate: One number for each spatial axis.
        groups: Number of groups of channels; each group has its own filters.
    """

    stride: tuple[int, ...]
    pad: tuple[int, ...]
    dilate: tuple[int, ...]
    groups: int

    def convolve(self, x: Array, W: Array, b: Array | None, out: tuple[int, ...]) -> Array:
        """Compute maps of size `out` with the best implementation. Empty input gives the biases."""
        if 0 in x.shape or 0 in W.shape or 0 in out:
            return _of_nothing(x, (x.shape[0], W.shape[0], *out), b)
        return _compute(CONVOLUTION, x, W, b, self.stride, self.pad, self.dilate, self.groups, out)

    def deconvolve(self, y: Array, W: Array, b: Array | None, size: tuple[int, ...]) -> Array:
        """Compute images of `size` with the best implementation. Empty input gives the biases."""
        if 0 in y.shape or 0 in W.shape:
            return _of_nothing(y, (y.shape[0], W.shape[1] * self.groups, *size), b)
        return _compute(DECONVOLUTION, y, W, b, self.stride, self.pad, self.dilate, self.groups, size)

    def filter_gradient(self, x: Array, y: Array, ksize: tuple[int, ...]) -> Array:
        """Compute filters of size `ksize` with the best implementation. Empty input gives zeros."""
        if 0 in x.shape or 0 in y.shape:
            return _of_nothing(x, (y.shape[1], x.shape[1] // self.groups, *ksize), None)
        return _compute(FILTER_GRADIENT, x, y, self.stride, self.pad, self.dilate, self.groups, ksize)

    def parameter_gradients(self, x: Array, y: Array, ksize: tuple[int, ...]) -> tuple[Array, Array]:
        """Compute filters of size `ksize` and biases with the best implementation."""
        if 0 in x.shape or 0 in y.shape:
            return self.filter_gradient(x, y, ksize), _sum_over_maps(y)
        args = (x, y, self.stride, self.pad, self.dilate, self.groups, ksize)
        found: tuple[Array, Array] = PARAMETER_GRADIENTS.select(get_backend(x), *args).forward(*args)
        return found


def _of_nothing(x: Array, shape: tuple[int, ...], b: Array | None) -> Array:
    """The result without examples, channels or filters, an empty sum. Kernels do not support this case."""
    zeros = get_backend(x).xp.zeros(shape, dtype=x.dtype)
    return zeros if b is None else zeros + b.reshape((-1,) + (1,) * (len(shape) - 2)).astype(x.dtype)


def _compute(operation: Operation, *args: Any) -> Array:
    return operation.select(get_backend(args[0]), *args).forward(*args)


class Convolution(FunctionNode):
    """Maps from images, filters and, as an optional third input, one bias for each map.

    Args:
        geometry: How the window moves.
        out: Size of the maps.
    """

    fresh_gradients = True

    def __init__(self, geometry: Geometry, out: tuple[int, ...]) -> None:
        self.geometry = geometry
        self.out = out

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Convolve."""
        self.retain_inputs((0, 1))
        x, W = inputs[:2]
        return (self.geometry.convolve(x, W, inputs[2] if len(inputs) == 3 else None, self.out),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The other two operations on arrays; gradients of filters and biases in one step."""
        x, W = self.saved_inputs
        (gy,) = grad_outputs
        found: dict[int, Array] = {}
        if 0 in target_input_indexes:
            found[0] = self.geometry.deconvolve(gy, W, None, x.shape[2:])
        if 1 in target_input_indexes and 2 in target_input_indexes:
            found[1], found[2] = self.geometry.parameter_gradients(x, gy, W.shape[2:])
        elif 1 in target_input_indexes:
            found[1] = self.geometry.filter_gradient(x, gy, W.shape[2:])
        elif 2 in target_input_indexes:
            found[2] = _sum_over_maps(gy)
        return [_in_dtype(found[i], self.inputs[i].dtype) for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The other two operations as nodes."""
        x, W = self.get_retained_inputs()
        (gy,) = grad_outputs
        gradients: tuple[Callable[[], Variable], ...] = (
            lambda: Deconvolution(self.geometry, x.shape[2:]).apply((gy, W))[0],
            lambda: FilterGradient(self.geometry, W.shape[2:]).apply((x, gy))[0],
            lambda: _sum_over_maps(gy),
        )
        return [_in_dtype(gradients[i](), self.inputs[i].dtype) for i in target_input_indexes]


class Deconvolution(FunctionNode):
    """Images from maps, filters and, as an optional third input, one bias for each channel of the image.

    This is the transpose of `Convolution`, also called transposed convolution; it is not the inverse.

    Args:
        geometry: How the window moves.
        size: Size of the images.
    """

    fresh_gradients = True

    def __init__(self, geometry: Geometry, size: tuple[int, ...]) -> None:
        self.geometry = geometry
        self.size = size

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Deconvolve."""
        self.retain_inputs((0, 1))
        y, W = inputs[:2]
        return (self.geometry.deconvolve(y, W, inputs[2] if len(inputs) == 3 else None, self.size),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The other two operations on arrays."""
        y, W = self.saved_inputs
        (gx,) = grad_outputs
        gradients: tuple[Callable[[], Array], ...] = (
            lambda: self.geometry.convolve(gx, W, None, y.shape[2:]),
            lambda: self.geometry.filter_gradient(gx, y, W.shape[2:]),
            lambda: _sum_over_maps(gx),
        )
        return [_in_dtype(gradients[i](), self.inputs[i].dtype) for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The other two operations as nodes."""
        y, W = self.get_retained_inputs()
        (gx,) = grad_outputs
        gradients: tuple[Callable[[], Variable], ...] = (
            lambda: Convolution(self.geometry, y.shape[2:]).apply((gx, W))[0],
            lambda: FilterGradient(self.geometry, W.shape[2:]).apply((gx, y))[0],
            lambda: _sum_over_maps(gx),
        )
        return [_in_dtype(gradients[i](), self.inputs[i].dtype) for i in target_input_indexes]


class FilterGradient(FunctionNode):
    """Filters from images and maps: the gradient of a convolution with respect to its filters.

    Args:
        geometry: How the window moves.
        ksize: Size of the filters.
    """

    fresh_gradients = True

    def __init__(self, geometry: Geometry, ksize: tuple[int, ...]) -> None:
        self.geometry = geometry
        self.ksize = ksize

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Correlate the images with the maps."""
        self.retain_inputs((0, 1))
        x, y = inputs
        return (self.geometry.filter_gradient(x, y, self.ksize),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The other two operations as nodes."""
        x, y = self.get_retained_inputs()
        (gW,) = grad_outputs
        gradients: tuple[Callable[[], Variable], ...] = (
            lambda: Deconvolution(self.geometry, x.shape[2:]).apply((y, gW))[0],
            lambda: Convolution(self.geometry, y.shape[2:]).apply((x, gW))[0],
        )
        return [_in_dtype(gradients[i](), self.inputs[i].dtype) for i in target_input_indexes]


def check_operands(
    function: str, x: Any, W: Any, b: Any, n_axes: int | None, groups: int, transposed: bool = False
) -> int:
    """Raise InvalidType if axes, channels or dtypes of a convolution's arguments do not fit together.

    Args:
        function: Name of the function, for messages.
        x, W, b: The arguments.
        n_axes: Number of spatial axes; None for as many as `x` has, from one.
        groups: Number of groups.
        transposed: Whether `x` contains maps, with as many channels as there are filters.

    Returns:
        The number of spatial axes.

    Raises:
        InvalidType: An argument does not fit.
        ValueError: The channels cannot be divided into `groups`.
    """
    require_array(function, "x", x)
    axes = max(1, x.ndim - 2) if n_axes is None else n_axes
    for name, value in (("x", x), ("W", W)):
        require_array(function, name, value)
        if value.ndim != axes + 2 or not is_floating(value.dtype):
            raise InvalidType(function, name, f"{axes + 2} axes and a floating dtype", describe_array(value))
    if 0 in W.shape[2:]:
        raise InvalidType(function, "W", "filters of at least one element along each axis", describe_array(W))
    filters, per_group = W.shape[:2]
    groups = as_integer(function, "groups", groups)
    if groups < 1 or filters % groups:
        raise ValueError(f"{function}: groups={groups} does not divide the {filters} filters of W: {describe_array(W)}")
    channels, biases = (filters, per_group * groups) if transposed else (per_group * groups, filters)
    if x.shape[1] != channels:
        fits = f"{channels} channels (axis 1), to fit W: {describe_array(W)} in {groups} group(s)"
        raise InvalidType(function, "x", fits, describe_array(x))
    if b is not None:
        require_array(function, "b", b)
        if tuple(b.shape) != (biases,):
            raise InvalidType(function, "b", f"shape ({biases},)", describe_array(b))
    return axes


def _in_dtype(gradient: Any, dtype: Any) -> Any:
    """Convert an array or a Variable to the dtype of the input whose gradient it is."""
    return gradient if gradient.dtype == dtype else gradient.astype(dtype)


def _sum_over_maps(gy: Any) -> Any:
    """Sum over all axes except the channel axis, of an array or a Variable."""
    return gy.sum(axis=(0, *range(2, gy.ndim)))
