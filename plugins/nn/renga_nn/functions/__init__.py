"""Differentiable functions of Variables, by family.

- `activation`: relu, sigmoid, softmax … `array`: moving elements about. `math`: the rest of mathematics.
- `connection`: functions with weights. `normalization`, `pooling`, `rnn`.
- `loss`: what training makes small. `evaluation`: what people look at. `noise`: dropout and samples.
- `util`: computing again in backward.

A function is a file with a function and the node behind it (`renga_core.graph.FunctionNode`); `elementwise` is the
base of those that work element by element, `checks` has the checks of arguments, `window` the sizes of what comes out
when a window slides; `composed`: second derivatives of a function that is computed in one go; `samples`: inputs with
which kernels are tried. Each family's `__init__` lists what it exports; here they are one namespace, and a
family is imported when something of it is first used.
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
    """Import the family of a function, or a family, when it is first used, and keep the function here."""
    if name in NAMES:
        return import_module(f"{__name__}.{name}")
    family = _FAMILIES.get(name)
    if family is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{family}"), name)
    return value
