"""The file format of a snapshot: from the suffix of its name, or from the function that saves it."""

from __future__ import annotations

import string
from collections.abc import Callable
from typing import Any

from renga_core.plugin import RengaPluginError, registry
from renga_core.serializers import FileFormat
from renga_core.serializers.formats import format_of

__all__ = ["format_of_template", "format_saved_by"]


def format_of_template(filename: str) -> FileFormat:
    """The format for names like ``model_{.updater.epoch}.h5``. Raises the errors of `format_of`."""
    parts = string.Formatter().parse(filename)
    return format_of("".join(text if field is None else f"{text}0" for text, field, *_ in parts))


def format_saved_by(savefun: Callable[..., Any]) -> FileFormat:
    """The format whose `save` is this function, such as `save_npz`; npz if there is none."""
    formats = registry("file_format")
    for name in ("serializers:npz", *formats.names()):  # other formats may also use its function
        try:
            found: FileFormat = formats.load(name)()
        except RengaPluginError:
            continue  # its error is reported elsewhere
        if found.save is savefun:
            return found
    return format_of("snapshot")
