"""Numbers such as the learning rate: one set for all parameters, changed for some."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

__all__ = ["Hyperparameter", "HyperparameterProxy", "values_key"]


class Hyperparameter:
    """Named numbers; one that is not set here is the parent's.

    The update rule of each parameter has a set whose parent is the optimizer's: ``optimizer.hyperparam.lr = 0.1``
    concerns all parameters, ``model.l1.W.update_rule.hyperparam.lr = 0.1`` one of them.

    A NumPy scalar, or an array without axes, is kept as a Python number: in arithmetic it takes on the dtype of the
    arrays it meets, where a NumPy float64 would turn a float32 step into a float64 one (NEP 50).

    Args:
        parent: Where to look for what is not set here.
    """

    _parent: Hyperparameter | None

    def __init__(self, parent: Hyperparameter | None = None) -> None:
        self._parent = parent

    @property
    def parent(self) -> Hyperparameter | None:
        """Where to look for what is not set here."""
        return self._parent

    def __getattr__(self, name: str) -> Any:
        # Called only for what is not in this object's own dictionary. Special names are asked for by `copy`, before
        # there is a `_parent`.
        if not name.startswith("__"):
            parent = self.__dict__.get("_parent")
            if parent is not None:
                return getattr(parent, name)
        raise AttributeError(f"there is no hyperparameter {name!r}; there are: {', '.join(self.get_dict()) or 'none'}")

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value.item() if getattr(value, "ndim", None) == 0 else value)

    def get_dict(self) -> dict[str, Any]:
        """All names and values, the parent's included."""
        own = {name: value for name, value in self.__dict__.items() if name != "_parent"}
        parent = self.__dict__.get("_parent")
        return own if parent is None else {**parent.get_dict(), **own}

    def __repr__(self) -> str:
        return f"Hyperparameter({', '.join(f'{name}={value!r}' for name, value in self.get_dict().items())})"


def values_key(hyperparam: Hyperparameter) -> Hashable:
    """A key that two sets have in common only if all their values are the same: they add the same to one parent.

    It is read in each update of each parameter, so it reads none of the parent's values.
    """
    own = hyperparam.__dict__
    if len(own) == 1:
        return id(own.get("_parent"))
    key = id(own.get("_parent")), *own.items()
    try:
        hash(key)
    except TypeError:  # a list, say: nothing has the same key as this set
        return id(hyperparam)
    return key


class HyperparameterProxy:
    """An attribute of an optimizer that stands for the one of its `hyperparam` with the same name.

    Args:
        attr_name: Name of the hyperparameter.
    """

    def __init__(self, attr_name: str) -> None:
        self._attr_name = attr_name
        self.__doc__ = f"Alias of ``self.hyperparam.{attr_name}``."

    def __get__(self, obj: Any, owner: type | None = None) -> Any:
        return self if obj is None else getattr(obj.hyperparam, self._attr_name)

    def __set__(self, obj: Any, value: Any) -> None:
        setattr(obj.hyperparam, self._attr_name, value)
