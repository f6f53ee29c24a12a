"""Calls a network for an export and restores the state that it keeps between calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_onnx.structure import arrays_in

__all__ = ["WithoutTrace"]


class WithoutTrace:
    """Calls a network; afterwards, restores the attributes of its links.

    Args:
        network: A link, or a method of one. The state of other functions is unknown.

    Attributes:
        changed: Names of attributes with arrays that a call has changed: ``lstm.h``.
    """

    def __init__(self, network: Callable[..., Any]) -> None:
        self.changed: dict[str, None] = {}
        self._network = network
        owner = getattr(network, "__self__", network)
        self._links = dict(owner.namedlinks()) if isinstance(owner, Link) else {}

    @property
    def is_new(self) -> bool:
        """Whether some parameters get their shapes only in the first call."""
        return any(map(_is_new, self._links.values()))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the network."""
        with self._restoring():
            return self._network(*args, **kwargs)

    def twice(self, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """Call the network twice: the second call starts from the state after the first."""
        with self._restoring():
            return self._network(*args, **kwargs), self._network(*args, **kwargs)

    @contextmanager
    def _restoring(self) -> Iterator[None]:
        before = {
            path: {name: _copied(each) for name, each in vars(link).items()} for path, link in self._links.items()
        }
        # A link that initializes parameters in this call keeps its attributes.
        new = {path for path, link in self._links.items() if _is_new(link)}
        try:
            yield
        finally:
            for path, values in before.items():
                self._restore(path, values, everything=path not in new)

    def _restore(self, path: str, values: dict[str, Any], everything: bool) -> None:
        found = vars(self._links[path])
        for name in dict.fromkeys([*values, *found]):
            if name in found and name in values and _same(found[name], values[name]):
                continue
            arrays = [*arrays_in(found.get(name)), *arrays_in(values.get(name))]
            if not everything and not any(_is_computed(each) for each in arrays):
                continue
            if any(not isinstance(each, Parameter) for each in arrays):
                self.changed[f"{path.strip('/').replace('/', '.')}.{name}".lstrip(".")] = None
            if name in values:
                found[name] = values[name]
            else:
                del found[name]


def _is_new(link: Link) -> bool:
    return not all(param.is_initialized for _, param in link._own_params())


def _copied(value: Any) -> Any:
    """Copy lists and dictionaries, because they may be changed in place."""
    return value.copy() if type(value) in (list, dict) else value


def _same(found: Any, before: Any) -> bool:
    if type(found) in (list, dict) and type(found) is type(before):
        parts = [list(each.items() if isinstance(each, dict) else enumerate(each)) for each in (found, before)]
        return len(found) == len(before) and all(a == b and x is y for (a, x), (b, y) in zip(*parts, strict=True))
    return found is before


def _is_computed(value: Any) -> bool:
    return isinstance(value, Variable) and not isinstance(value, Parameter)
