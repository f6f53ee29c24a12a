"""Errors that Chainer raises, with Chainer's exception types."""

from __future__ import annotations

import inspect
from typing import Any

from renga_core.backend import Array
from renga_core.graph import Variable
from renga_core.link import Link
from renga_nn.initializers import Orthogonal
from renga_nn.link_hooks.weight import WeightHook
from renga_nn.links import GRU, InceptionBN, StatefulGRU, bilinear

__all__ = ["ADDITIONS"]

_fill = Orthogonal.__call__
_inception = InceptionBN.__init__
_arguments_of_inception = inspect.signature(_inception)
_require_shape = bilinear._require_shape
_weight_of = WeightHook.weight_of


def _forward_of_one(self: GRU, *args: Any) -> Variable:
    """Like Renga's.

    Raises:
        ValueError: The number of arguments is not one.
    """
    if len(args) != 1:
        raise ValueError(
            f"Invalid argument. The length of GRU.forward must be 1. But {len(args)} is given. To pass the "
            "state, use StatelessGRU"
        )
    return StatefulGRU.forward(self, *args)


def _init_inception(self: InceptionBN, *args: Any, **kwargs: Any) -> None:
    """Like Renga's.

    Raises:
        NotImplementedError: The kind of pooling is unknown.
        AssertionError: With 1 × 1 convolutions, the stride is not 1 or a projection after pooling is missing.
    """
    bound = _arguments_of_inception.bind(self, *args, **kwargs)
    bound.apply_defaults()
    given = bound.arguments
    if given["pooltype"] not in ("max", "avg"):
        raise NotImplementedError(f"InceptionBN: pooltype is {given['pooltype']!r}; choose from 'max', 'avg'")
    if given["out1"] > 0:
        assert given["stride"] == 1, f"InceptionBN: with out1 the stride must be 1, not {given['stride']}"
        assert given["proj_pool"] is not None, "InceptionBN: out1 needs proj_pool"
    _inception(self, *args, **kwargs)


def _assert_shape(name: str, initializer: Any, shape: tuple[int, ...]) -> None:
    """Like Renga's.

    Raises:
        AssertionError: An initial array of `Bilinear` has a wrong shape.
    """
    try:
        _require_shape(name, initializer, shape)
    except ValueError as error:
        raise AssertionError(str(error)) from None


def _weight_of_one(self: WeightHook, link: Link | None) -> Variable:
    """Like Renga's.

    Raises:
        NotImplementedError: The hook is used as a context manager.
    """
    if link is None:
        raise NotImplementedError(f"{self.name} is no context manager. Next: link.add_hook({type(self).__name__}())")
    return _weight_of(self, link)


def _fill_some(self: Orthogonal, array: Array) -> None:
    """Like Renga's.

    Raises:
        ValueError: The array is empty.
    """
    if not array.size:
        raise ValueError("Array to be initialized must be non-empty.")
    _fill(self, array)


def _keep_final(cls: type[Any], /, **kwargs: Any) -> None:
    """Check a class of a program.

    Raises:
        TypeError: It overrides a final method.
    """
    super(Link, cls).__init_subclass__(**kwargs)
    for name in ("to_device", "to_chx", "from_chx"):
        if name in cls.__dict__ and not cls.__module__.startswith("renga"):
            raise TypeError(f"method {name!r} is final: override device_resident_accept(visitor)")


ADDITIONS: list[tuple[Any, str, Any]] = [
    (bilinear, "_require_shape", _assert_shape),
    (GRU, "forward", _forward_of_one),
    (InceptionBN, "__init__", _init_inception),
    (Link, "__init_subclass__", classmethod(_keep_final)),
    (Orthogonal, "__call__", _fill_some),
    (WeightHook, "weight_of", _weight_of_one),
]
