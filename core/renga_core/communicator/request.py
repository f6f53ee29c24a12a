"""A collective that has begun and may not have ended."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from renga_core.backend import Array

__all__ = ["Done", "Request"]


class Request(ABC):
    """What `CommunicatorBase.imean` returns."""

    @abstractmethod
    def test(self) -> bool:
        """Whether it has ended, so that `wait` returns at once."""

    @abstractmethod
    def wait(self) -> list[Array]:
        """Wait until it has ended, and return the result; each call returns the same.

        Raises:
            Exception: What the collective raised.
        """


class Done(Request):
    """One that ended when it began."""

    def __init__(self, result: list[Array]) -> None:
        self._result = result

    def test(self) -> bool:  # noqa: D102
        return True

    def wait(self) -> list[Array]:  # noqa: D102
        return self._result
