"""Declaring hyperparameters of an optimizer once, with name, type, default and description, as in a dataclass.

The rest is generated: the constructor's signature, attributes of the optimizer, values of its `Hyperparameter`, and
``Args:`` in its docstring.
"""

from __future__ import annotations

import sys
import textwrap
from collections import ChainMap
from collections.abc import Callable
from typing import Any, TypeVar

from renga_core.optimizer.hyperparameter import HyperparameterProxy

__all__ = ["complete", "declared_hyperparameters", "hyperparameter"]

_T = TypeVar("_T")


def hyperparameter(*, default: _T, doc: str, init: bool = True) -> _T:
    """Declare a hyperparameter in the body of a subclass of `GradientMethod`.

    ::

        class SGD(GradientMethod):
            lr: float = hyperparameter(default=0.01, doc="Learning rate.")

    Args:
        default: The default value.
        doc: Description, for the docstring.
        init: Whether the constructor takes it. If not, it starts with its default.

    Returns:
        The descriptor of the class attribute; type checkers see a value.
    """
    return Declared(default, doc, init)  # type: ignore[return-value]  # a descriptor, which gives the value


class Declared(HyperparameterProxy):
    """A declared hyperparameter: an attribute of the optimizer that reads and sets the value in `hyperparam`."""

    def __init__(self, default: Any, doc: str, init: bool) -> None:
        self.default, self.init = default, init
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._attr_name = name


def declared_hyperparameters(optimizer: type) -> dict[str, Declared]:
    """The declarations of a class and its bases, by name, bases first; a class may redeclare a name of its bases."""
    everything = [item for cls in reversed(optimizer.__mro__) for item in vars(cls).items()]
    return {name: value for name, value in everything if isinstance(value, Declared)}


def complete(optimizer: type) -> None:
    """Give a class with hyperparameters a constructor, unless it defines one, and ``Args:`` in its docstring."""
    if not any(isinstance(value, Declared) for value in vars(optimizer).values()):
        return
    declared = declared_hyperparameters(optimizer)
    if "__init__" not in vars(optimizer):
        optimizer.__init__ = _constructor(optimizer, declared)  # type: ignore[misc]  # that is what this is for
    if optimizer.__doc__ is not None and "Args:" not in optimizer.__doc__:
        fill = textwrap.TextWrapper(116, initial_indent=8 * " ", subsequent_indent=12 * " ").fill
        rows = [fill(f"{name}: {value.__doc__}") for name, value in declared.items() if value.init]
        optimizer.__doc__ = "\n".join([optimizer.__doc__.rstrip(), "", "    Args:", *rows, "    "])


def _constructor(optimizer: type, declared: dict[str, Declared]) -> Callable[..., None]:
    """Make a function whose signature has the declared names, compiled as in dataclasses."""
    above = [vars(cls)["__init__"] for cls in optimizer.__mro__[1:] if "__init__" in vars(cls)]
    written = next(init for init in above if not hasattr(init, "compiled"))

    def fill(self: Any, **given: Any) -> None:
        written(self)
        for name, value in declared.items():
            setattr(self.hyperparam, name, given.get(name, value.default))
        self.__post_init__()

    names = [name for name, value in declared.items() if value.init]
    signature = ", ".join(["self", *(f"{name}=None" for name in names)])
    passed = ", ".join(["self", *(f"{name}={name}" for name in names)])
    made: dict[str, Any] = {}
    source = f"def enclosing(fill):\n def __init__({signature}):\n  fill({passed})\n return __init__"
    module = sys.modules.get(optimizer.__module__)  # it resolves the annotations
    exec(source, {} if module is None else vars(module), made)
    init: Any = made["enclosing"](fill)
    init.__defaults__ = tuple([declared[name].default for name in names])
    written_types = ChainMap(*[vars(cls).get("__annotations__", {}) for cls in optimizer.__mro__])
    init.__annotations__ = {**{name: written_types.get(name, Any) for name in names}, "return": None}
    init.__module__, init.__qualname__ = optimizer.__module__, f"{optimizer.__qualname__}.__init__"
    init.compiled = True
    return init  # type: ignore[no-any-return]  # just made
