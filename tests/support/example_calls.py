"""How to call each public function: as its docstring's example does."""

from __future__ import annotations

import doctest
import inspect
import sys
from typing import Any

import numpy as np
import scipy.sparse  # noqa: F401 - adds a filter of warnings when it is first imported, which is no change of a test's

import renga_nn.functions as F

__all__ = ["example_call", "is_array"]

X = np.ones((2, 2))

WITHOUT_EXAMPLE = {
    "absolute": (X,),
    "broadcast_to": (X, (3, 2, 2)),
    "get_item": (X, 0),
    "mean": (X,),
    "reshape": (X, (4,)),
    "squeeze": (X,),
    "sum": (X,),
    "sum_to": (X, (2,)),
    "transpose": (X,),
}


def example_call(name: str) -> inspect.BoundArguments:
    """The arguments of the call in the function's docstring, by name."""
    function = getattr(F, name)
    signature = inspect.signature(function)
    calls = [signature.bind(*WITHOUT_EXAMPLE[name])] if name in WITHOUT_EXAMPLE else []

    def recording(*args: Any, **kwargs: Any) -> Any:
        calls.append(signature.bind(*args, **kwargs))
        return function(*args, **kwargs)

    for example in doctest.DocTestFinder(recurse=False).find(function, name):
        example.globs = {**vars(sys.modules[function.__module__]), name: recording}
        doctest.DocTestRunner(verbose=False).run(example, out=lambda text: None, clear_globs=False)
    assert calls, f"{name} has no example"
    calls[-1].apply_defaults()
    return calls[-1]


def is_array(value: Any) -> bool:
    """Whether it is a Variable or an array."""
    return hasattr(value, "dtype") and hasattr(value, "shape")
