"""A collective that has begun and may not have ended."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from renga_core.backend import Array

__all__ = ["Request"]


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
