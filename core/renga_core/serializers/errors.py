"""Why a file is refused."""

from __future__ import annotations

from collections.abc import Sequence

from renga_core.errors import RengaError

__all__ = ["FileDamaged", "FileMismatched", "FileRefused", "PartlyLoaded"]


class FileRefused(RengaError, ValueError):
    """A file cannot be loaded. Nothing has been changed by the attempt.

    Attributes:
        file: Name of the file.
    """

    def __init__(self, file: str, message: str) -> None:
        super().__init__(f"{file}: {message}")
        self.file = file


class FileDamaged(FileRefused):
    """The file is not of the expected format: truncated, altered, or something else altogether.

    Attributes:
        reason: What reading it ran into.
        kind: What it should be.
    """

    def __init__(self, file: str, reason: str, kind: str = "an npz file") -> None:
        super().__init__(file, f"damaged or not {kind} ({reason})")
        self.reason = reason
        self.kind = kind


class FileMismatched(FileRefused):
    """The file is sound, but made by an object of another structure.

    Attributes:
        differences: One sentence for each difference.
    """

    def __init__(self, file: str, differences: Sequence[str]) -> None:
        lines = "".join(f"\n  - {difference}" for difference in differences)
        super().__init__(file, f"does not fit the object it is loaded into:{lines}")
        self.differences = list(differences)


class PartlyLoaded(UserWarning):
    """Some values were not taken from a file, since they have another shape there: they keep what they had."""
