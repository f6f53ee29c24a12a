"""Differentiable functions of Variables, by family.

- `activation`: relu, sigmoid, softmax … `array`: shapes and selection of elements. `math`: other mathematics.
- `connection`: functions with weights. `normalization`, `pooling`, `rnn`.
- `loss`: loss functions. `evaluation`: metrics. `noise`: dropout and random samples.
- `util`: recomputation in backward, and others.

Each function has a file, with the function and its node (`renga_core.graph.FunctionNode`). `elementwise` is the base of
elementwise functions, `checks` checks arguments, `window` computes output sizes of sliding windows. `composed` provides
second derivatives of functions that are computed in one step; `samples` has inputs for tests of kernels. The `__init__`
of each family lists its exports; here they form one namespace, and a family is imported at its first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from renga_nn.providers.functions import NAMES

_FAMILIES = {name: family for family, names in NAMES.items() for name in names.split()}

if TYPE_CHECKING:
    from renga_nn.functions import (
        activation,
        array,
        connection,
        evaluation,
        loss,
        math,
        noise,
        normalization,
        pooling,
        rnn,
        util,
    )
    from renga_nn.functions.activation import *
    from renga_nn.functions.array import *
    from renga_nn.functions.connection import *
    from renga_nn.functions.evaluation import *
    from renga_nn.functions.loss import *
    from renga_nn.functions.math import *
    from renga_nn.functions.noise import *
    from renga_nn.functions.normalization import *
    from renga_nn.functions.pooling import *
    from renga_nn.functions.rnn import *
    from renga_nn.functions.util import *

    __all__: list[str] = []
    __all__ += activation.__all__
    __all__ += array.__all__
    __all__ += connection.__all__
    __all__ += evaluation.__all__
    __all__ += loss.__all__
    __all__ += math.__all__
    __all__ += noise.__all__
    __all__ += normalization.__all__
    __all__ += pooling.__all__
    __all__ += rnn.__all__
    __all__ += util.__all__
else:
    __all__ = sorted(_FAMILIES)


def __getattr__(name: str) -> Any:
    """Import a family, or the family of a function, at its first use, and keep the function here."""
    if name in NAMES:
        return import_module(f"{__name__}.{name}")
    family = _FAMILIES.get(name)
    if family is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{family}"), name)
    return value
