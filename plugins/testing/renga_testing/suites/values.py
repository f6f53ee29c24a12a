"""`Values`: an object for tests of saving and loading, with values by path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from renga_core.backend import is_array
from renga_core.serializers import AbstractSerializer
from renga_testing.suites.comparing import compare

__all__ = ["Values"]


class Values:
    """Values by path. A path with slashes leads to children: ``l1/W`` is `W` of the child `l1`.

    Args:
        values: The values: arrays of any backend, numbers, texts, lists, None.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = dict(values)

    def __getitem__(self, path: str) -> Any:
        return self.values[path]

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load each value."""
        for path, value in self.values.items():
            *parents, key = path.split("/")
            place = serializer
            for parent in parents:
                place = place[parent]
            self.values[path] = place(key, value)

    def blank(self) -> Values:
        """An object of the same structure to load into: arrays of zeros, numbers that are 0, empty texts."""
        return Values({path: _blank(value) for path, value in self.values.items()})

    def check(self, right: Values, when: str) -> None:
        """Assert that these are the values of `right`, and no others."""
        assert list(self.values) == list(right.values), f"{when}, the values are {sorted(self.values)}"
        for path, value in right.values.items():
            got = self.values[path]
            if is_array(value):
                compare(got, value, f"{path}, {when},", exact=True)
            else:
                assert (type(got), got) == (type(value), value), f"{path}, {when}: {got!r} instead of {value!r}"

    def equals(self, right: Values) -> bool:
        """Whether `check` finds nothing."""
        try:
            self.check(right, "")
        except AssertionError:
            return False
        return True


def _blank(value: Any) -> Any:
    if is_array(value):
        return np.zeros_like(value)
    return None if value is None else type(value)()
