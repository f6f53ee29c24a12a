"""Saving preprocessing as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from renga_core.serializers import FileDamaged
from renga_data.preprocessing.image import ImagePreprocessing
from renga_data.preprocessing.picture import PicturePreprocessing
from renga_data.preprocessing.table import TablePreprocessing
from renga_data.preprocessing.text import TextPreprocessing
from renga_serializers.atomic import atomic_write

__all__ = ["Preprocessing", "preprocessing_document", "read_preprocessing", "write_preprocessing"]


class Preprocessing(Protocol):
    """Converts raw values to inputs of a network. Tasks look for attributes such as `classes` and `outputs`."""

    def prepare(self, value: Any) -> Any:
        """Make the input of one raw example in memory: an image, a row, a text."""

    def read(self, path: str) -> Iterator[tuple[str, Any]]:
        """Yield a name and the input of each example in a file."""

    def as_document(self) -> dict[str, Any]:
        """Return it as JSON data."""


_KINDS: dict[str, Any] = {
    "image": ImagePreprocessing,
    "picture": PicturePreprocessing,
    "table": TablePreprocessing,
    "text": TextPreprocessing,
}


def preprocessing_document(preprocessing: Any) -> dict[str, Any] | None:
    """Return one of Renga's preprocessings as JSON data, with its kind; None for any other class, and for None."""
    kind = next((name for name, cls in _KINDS.items() if type(preprocessing) is cls), None)
    return None if kind is None else {"kind": kind, **preprocessing.as_document()}


def write_preprocessing(path: str | Path, preprocessing: Preprocessing) -> None:
    """Write one of Renga's preprocessings to a file. Other classes are not written, as they could not be read."""
    document = preprocessing_document(preprocessing)
    if document is None:
        return
    with atomic_write(path, "w") as file:
        file.write(json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def read_preprocessing(path: str | Path) -> Any:
    """Read a file that `write_preprocessing` has written.

    Raises:
        FileDamaged: The file has another format.
        OSError: The file cannot be read.
    """
    text = Path(path).read_text(encoding="utf-8")
    try:
        document = json.loads(text)
        return _KINDS[document.pop("kind")].from_document(document)
    except Exception as error:  # JSON of any shape
        raise FileDamaged(str(path), f"{type(error).__name__}: {error}", "a file of preprocessing") from error
