"""Errors of loading a file."""

from __future__ import annotations

from collections.abc import Sequence

from renga_core.errors import RengaError

__all__ = ["FileDamaged", "FileMismatched", "FileRefused", "PartlyLoaded"]


class FileRefused(RengaError, ValueError):
    """A file cannot be loaded. The attempt changed nothing.

    Attributes:
        file: Name of the file.
    """

    def __init__(self, file: str, message: str) -> None:
        super().__init__(f"{file}: {message}")
        self.file = file


class FileDamaged(FileRefused):
    """The file does not have the expected format: it is truncated, altered, or something else.

    Attributes:
        reason: The problem in reading it.
        kind: The expected format.
    """

    def __init__(self, file: str, reason: str, kind: str = "an npz file") -> None:
        super().__init__(file, f"damaged or not {kind} ({reason})")
        self.reason = reason
        self.kind = kind


class FileMismatched(FileRefused):
    """The file is intact, but was saved from an object with another structure.

    Attributes:
        differences: One sentence for each difference.
    """

    def __init__(self, file: str, differences: Sequence[str]) -> None:
        lines = "".join(f"\n  - {difference}" for difference in differences)
        super().__init__(file, f"does not fit the object it is loaded into:{lines}")
        self.differences = list(differences)


class PartlyLoaded(UserWarning):
    """Some values were not loaded because the file has other shapes for them: they are unchanged."""
