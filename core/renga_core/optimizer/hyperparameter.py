"""Values such as the learning rate: shared by all parameters, or set for one."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from renga_core.tracepoints import changed

__all__ = ["Hyperparameter", "HyperparameterProxy", "values_key"]


class Hyperparameter:
    """Named values; a value that is not set here is taken from the parent.

    The update rule of each parameter has a set whose parent is the optimizer's set: ``optimizer.hyperparam.lr = 0.1``
    affects all parameters, ``model.l1.W.update_rule.hyperparam.lr = 0.1`` only one.

    NumPy scalars and 0-d arrays become Python numbers: a NumPy float64 would turn a float32 step into float64 (NEP 50).

    Args:
        parent: The set for values that are not set here.
    """

    def __init__(self, parent: Hyperparameter | None = None) -> None:
        self._parent: Hyperparameter | None = parent

    @property
    def parent(self) -> Hyperparameter | None:
        """The set for values that are not set here."""
        return self._parent

    def __getattr__(self, name: str) -> Any:
        # Called only for names missing in the dictionary. `copy` asks for special names before `_parent` exists.
        parent = None if name.startswith("__") else self.__dict__.get("_parent")
        if parent is not None:
            return getattr(parent, name)
        raise AttributeError(f"there is no hyperparameter {name!r}; there are: {', '.join(self.get_dict()) or 'none'}")

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value.item() if getattr(value, "ndim", None) == 0 else value)
        changed(self, name)

    def get_dict(self) -> dict[str, Any]:
        """All names and values, including the parent's."""
        parent = self.__dict__.get("_parent")
        own = {name: value for name, value in self.__dict__.items() if name != "_parent"}
        return own if parent is None else parent.get_dict() | own

    def __repr__(self) -> str:
        return f"Hyperparameter({', '.join(f'{name}={value!r}' for name, value in self.get_dict().items())})"


def values_key(hyperparam: Hyperparameter) -> Hashable:
    """A key that is equal for two sets only if all their values are the same: same parent, same own values.

    It is read for each parameter in each update, so it does not read the parent's values.
    """
    own = hyperparam.__dict__
    if len(own) == 1:
        return id(own.get("_parent"))
    key = id(own.get("_parent")), *own.items()
    try:
        hash(key)
    except TypeError:  # unhashable, such as a list: this set has a unique key
        return id(hyperparam)
    return key


class HyperparameterProxy:
    """An attribute of an optimizer that reads and sets the value of this name in `hyperparam`.

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
