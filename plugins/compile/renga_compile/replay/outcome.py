"""Results of a recorded step: its return value, its reports, and attributes of links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from weakref import ref

import numpy as np

from renga_compile.replay.names import Names, mapped
from renga_compile.replay.traced_array import TracedArray, plain
from renga_core.graph import FunctionNode, Variable
from renga_core.link import Link

__all__ = ["Outcome"]


class Outcome:
    """Writes expressions for results, and replaces stand-ins by arrays.

    No result may share memory that the next replay writes into, so arguments are copied when returned.

    Args:
        names: Names of all objects.
        arguments: Arrays that represent the arguments in all replays.
        outputs: Variables that functions returned, and their names.

    Attributes:
        places: Ids of objects that a replay stores somewhere.
    """

    def __init__(self, names: Names, arguments: Sequence[Any], outputs: Sequence[tuple[ref[Variable], str]]) -> None:
        self.places: set[int] = set()
        self._names = names
        self._arguments = arguments
        self._outputs = outputs

    # --- expressions --------------------

    def result(self, value: Any, walked: set[FunctionNode]) -> str:
        """Return an expression for the step's return value.

        Args:
            value: The return value.
            walked: Functions that backward has visited.
        """
        self.places.add(id(value))
        if isinstance(value, Variable) and value.creator_node is not None and value.creator_node not in walked:
            self._names.refuse("it returns a Variable that may need backward later; call backward in the step")
        if isinstance(value, (Variable, np.ndarray, TracedArray)):
            return self.expression(value)
        if type(value) in (tuple, list):
            rows = ", ".join([self.result(each, walked) for each in value])
            return f"[{rows}]" if type(value) is list else f"({rows}{',' if value else ''})"
        if type(value) is dict:
            return f"{{{', '.join([f'{key!r}: {self.result(each, walked)}' for key, each in value.items()])}}}"
        if value is not None and not isinstance(value, (bool, int, float, str)):
            self._names.refuse(f"it returns a {type(value).__name__}")
        return self._names.program.object("o", value)

    def expression(self, value: Any) -> str:
        """Return an expression for one Variable, array or other object."""
        if isinstance(value, Variable):
            return f"outside({self._fresh(value._array, self._names.name_of_input(value))})"
        if isinstance(value, (np.ndarray, TracedArray)):
            return self._fresh(value, self._names.name_of(value))
        return self._names.program.object("o", value)

    def _fresh(self, array: Any, name: str) -> str:
        return f"{name}.copy()" if name.startswith("c") or self._is_argument(array) else name

    def _is_argument(self, array: Any) -> bool:
        return any(np.may_share_memory(plain(array), argument) for argument in self._arguments)

    # --- values --------------------

    def own(self, value: Any) -> Any:
        """Return the step's return value, with copied arrays."""
        if isinstance(value, Variable):
            if self._is_argument(value._array):
                value._array = value._array.copy()
            return value
        return mapped(value, self._own_array)

    def cut(self, value: Any) -> Any:
        """Return a Variable without its graph, or another object, with copied arrays."""
        if isinstance(value, Variable):
            return Variable(self._own_array(value._array), requires_grad=False)
        return mapped(value, self._own_array)

    def _own_array(self, array: Any) -> Any:
        return plain(array).copy() if self._is_argument(array) else plain(array)

    # --- attributes of links --------------------

    def leave_attributes(self, links: Mapping[Link, dict[str, Any]]) -> None:
        """Record attributes in which links keep results, as `Classifier` keeps its loss. Refuse other changes.

        Args:
            links: Links, with their previous attributes.
        """
        program, refuse = self._names.program, self._names.refuse
        known = {id(variable): name for of, name in self._outputs if (variable := of()) is not None}
        for link, before in links.items():
            for key, value in list(vars(link).items()):
                if before.get(key) is value:
                    continue
                if id(value) in known:
                    self.places.add(id(value))
                    name = self._fresh(value._array, known[id(value)])
                    self.own(value)
                    program.line(f"{program.object('l', link)}.__dict__[{key!r}] = outside({name})")
                    program.left.add((id(link), key))
                elif not (isinstance(value, (bool, int, float, str, type(None))) and before.get(key, self) == value):
                    refuse(f"the attribute {key} of {type(link).__name__} differs in each call")
            if len(vars(link)) != len(before):
                refuse(f"attributes of {type(link).__name__} appear or disappear in each call")
        program.watch(links)
