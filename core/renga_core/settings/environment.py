"""Reading settings from ``RENGA_*`` environment variables."""

from __future__ import annotations

import os

from .errors import SettingsError, WrongType
from .files import Setting
from .schema import SCHEMA
from .types import describe, from_toml, parse

__all__ = ["read_environment"]

_ROWS = {row.environment: row for row in SCHEMA if row.environment}


def read_environment() -> dict[str, Setting]:
    """Return the settings in the environment now. An empty variable says nothing.

    Raises:
        WrongType: A variable cannot be read as its key's type.
        SettingsError: A variable is nearly one of Renga's: a misspelling would be passed over in silence otherwise.
            Other ``RENGA_`` names are left to whoever reads them (plugins may).
    """
    found = {}
    for name, text in os.environ.items():
        if not name.startswith("RENGA_") or not text.strip():
            continue
        row = _ROWS.get(name)
        origin = f"environment {name}"
        if row is None:
            _refuse_near_miss(name)
            continue
        try:
            found[row.name] = Setting(row.name, parse(text, row.type), origin)
        except TypeError:
            raise WrongType(row.name, origin, describe(row.type), from_toml(text)) from None
    return found


def _refuse_near_miss(name: str) -> None:
    import difflib

    # Without the common start, which would make every two names look alike.
    known = [variable.removeprefix("RENGA_") for variable in _ROWS]
    near = difflib.get_close_matches(name.removeprefix("RENGA_"), known, n=1, cutoff=0.8)
    if near:
        raise SettingsError(f"environment {name}: no such variable. Did you mean 'RENGA_{near[0]}'?")
