"""Which file format a snapshot has: the suffix of its name says, or the function that saves it."""

from __future__ import annotations

import string
from collections.abc import Callable
from typing import Any

from renga_core.plugin import RengaPluginError, registry
from renga_core.serializers import FileFormat
from renga_core.serializers.formats import format_of

__all__ = ["format_of_template", "format_saved_by"]


def format_of_template(filename: str) -> FileFormat:
    """The format of files whose names a format string gives, ``model_{.updater.epoch}.h5``. Raises as `format_of`."""
    parts = string.Formatter().parse(filename)
    return format_of("".join(text if field is None else f"{text}0" for text, field, *_ in parts))


def format_saved_by(savefun: Callable[..., Any]) -> FileFormat:
    """The format whose `save` this function is, such as `save_npz`; npz where it is none's."""
    formats = registry("file_format")
    for name in ("serializers:npz", *formats.names()):  # other formats may save by it, too
        try:
            found: FileFormat = formats.load(name)()
        except RengaPluginError:
            continue  # what is wrong with it has been told, or is told where somebody asks for it
        if found.save is savefun:
            return found
    return format_of("snapshot")
