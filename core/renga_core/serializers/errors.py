"""Why a file is refused."""

from __future__ import annotations

from collections.abc import Sequence

from renga_core.errors import RengaError

__all__ = ["FileDamaged", "FileForbidden", "FileMismatched", "FileRefused"]


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


class FileForbidden(FileRefused):
    """The file asks for more than values: it holds a pickle that would run code.

    Attributes:
        key: Where it is.
        asked: What it asks for: a class or a function, by its full name.
    """

    def __init__(self, file: str, key: str, asked: str) -> None:
        super().__init__(
            file,
            f"{key!r} is a pickle that asks for {asked}. Of pickles only None, numbers, texts and arrays of them are "
            "read, and no code is run. Its value can be left as it is: ignore_names.",
        )
        self.key = key
        self.asked = asked


class FileMismatched(FileRefused):
    """The file is sound, but made by an object of another structure.

    Attributes:
        differences: One sentence for each difference.
    """

    def __init__(self, file: str, differences: Sequence[str]) -> None:
        lines = "".join(f"\n  - {difference}" for difference in differences)
        super().__init__(file, f"does not fit the object it is loaded into:{lines}")
        self.differences = list(differences)
