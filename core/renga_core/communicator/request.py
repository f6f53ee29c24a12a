"""A collective that runs in the background."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from renga_core.backend import Array

__all__ = ["Request"]


class Request(ABC):
    """The result of `CommunicatorBase.imean`."""

    @abstractmethod
    def test(self) -> bool:
        """Whether the collective has ended, so that `wait` returns at once."""

    @abstractmethod
    def wait(self) -> list[Array]:
        """Wait until the collective has ended, and return the result; later calls return the same object.

        Raises:
            Exception: The collective raised it.
        """
