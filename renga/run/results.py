"""Writing the results of a trained network: rows, text, images."""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

import numpy as np

from renga_core.backend import to_host
from renga_core.errors import RengaError
from renga_serializers.atomic import atomic_write

__all__ = ["check_file", "check_out", "is_folder", "write_images", "write_rows", "write_text", "written_folder"]

_KNOWN = (".csv", ".jsonl", ".txt", ".png", ".npy")


def check_out(out: str | None) -> None:
    """Raise RengaError if nothing can be written to `out`, before anything is computed.

    Reasons: no format has the suffix, the parent folder does not exist, or a file has the folder's name.
    """
    if out is None:
        return
    place = Path(out)
    if is_folder(out):
        if taken := next((each for each in (place, *place.parents) if each.is_file()), None):
            raise RengaError(f"--out {out}: {taken} is a file; a name without a suffix is a folder.")
        return
    if place.suffix not in _KNOWN:
        raise RengaError(
            f"--out {out}: the suffix must be one of {', '.join(_KNOWN)}; a name without a suffix is a folder."
        )
    if not place.parent.is_dir():
        raise RengaError(f"--out {out}: there is no folder {place.parent}.")


def check_file(path: str) -> None:
    """Raise RengaError if the file cannot be written, before anything is computed."""
    place = Path(path)
    if place.is_dir():
        raise RengaError(f"{place} is a folder. Next: name a file in it: {place / 'NAME'}")
    if not place.parent.is_dir():
        raise RengaError(f"{place}: there is no folder {place.parent}. Next: mkdir -p {place.parent}")
    try:
        with TemporaryFile(dir=place.parent):
            pass
    except OSError as error:
        raise RengaError(
            f"{place}: no file can be written in the folder {place.parent}: {error.strerror}. "
            "Next: name a file in another folder."
        ) from error


def is_folder(out: str) -> bool:
    """Whether results go into a folder: the folder exists, or the name has no suffix."""
    return Path(out).is_dir() or not Path(out).suffix


@contextmanager
def written_folder(out: str) -> Iterator[Path]:
    """Yield a temporary folder. If the block ends without an error, it becomes the folder `out`.

    After an error, `out` is unchanged.
    """
    place = Path(out)
    there = next(each for each in (place, *place.absolute().parents) if each.is_dir())
    with TemporaryDirectory(dir=there, prefix=".renga-") as folder:
        yield Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        for path in Path(folder).iterdir():
            os.replace(path, place / path.name)


def write_rows(rows: Iterable[dict[str, Any]], out: str | None) -> None:
    """Write rows as CSV, with lists as JSON, or as JSON Lines if the suffix is ``.jsonl``.

    Without a file, print the rows.
    """
    if out is not None and Path(out).suffix not in (".csv", ".jsonl"):
        raise RengaError(f"--out {out}: the results are rows; write them to a .csv or .jsonl file.")
    with ExitStack() as files:
        file: Any = sys.stdout if out is None else files.enter_context(atomic_write(out, "w"))
        writer: csv.DictWriter[str] | None = None
        for row in rows:
            if out is not None and Path(out).suffix == ".jsonl":
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                continue
            if writer is None:
                writer = csv.DictWriter(file, list(row), lineterminator="\n")
                writer.writeheader()
            writer.writerow(
                {k: json.dumps(v, ensure_ascii=False) if isinstance(v, list) else v for k, v in row.items()}
            )


def write_text(text: str, out: str | None) -> None:
    """Write text to a ``.txt`` file, or print it."""
    if out is None:
        print(text)
        return
    if Path(out).suffix != ".txt":
        raise RengaError(f"--out {out}: the result is text; write it to a .txt file.")
    with atomic_write(out, "w") as file:
        file.write(text + "\n")


def write_images(images: Any, out: str | None) -> None:
    """Write images ``(N, channels, height, width)`` in [0, 1] to a ``.png`` file, side by side, or to ``.npy``."""
    if out is None or Path(out).suffix not in (".png", ".npy"):
        raise RengaError("the result is images. Next: name a file: --out samples.png (or .npy).")
    from renga_training.extensions.samples import page, save_picture

    array = to_host(images)
    if Path(out).suffix == ".npy":
        with atomic_write(out) as file:
            np.save(file, array, allow_pickle=False)
    else:
        save_picture(Path(out), page(array))
