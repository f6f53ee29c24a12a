"""Reading settings from ``RENGA_*`` environment variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache

from .errors import SettingsError, WrongType
from .files import Setting
from .schema import SCHEMA
from .types import describe, from_toml, parse

__all__ = ["read_environment"]

_ROWS = {row.environment: row for row in SCHEMA if row.environment}


def read_environment() -> Mapping[str, Setting]:
    """Return the current settings of the environment. Empty variables are ignored.

    Raises:
        WrongType: A variable does not have the type of its key.
        SettingsError: A variable's name resembles one of Renga's, and is probably misspelt. Other ``RENGA_`` names are
            ignored, because plugins may read them.
    """
    # Every lookup comes here, so variables without the prefix are skipped first.
    return _parsed(tuple((name, os.environ[name]) for name in os.environ if name.startswith("RENGA_")))


@lru_cache(maxsize=1)
def _parsed(variables: tuple[tuple[str, str], ...]) -> Mapping[str, Setting]:
    found = {}
    for name, text in variables:
        if not text.strip():
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

    # Compare without the common prefix, which makes all names similar.
    known = [variable.removeprefix("RENGA_") for variable in _ROWS]
    near = difflib.get_close_matches(name.removeprefix("RENGA_"), known, n=1, cutoff=0.8)
    if near:
        raise SettingsError(f"environment {name}: no such variable. Did you mean 'RENGA_{near[0]}'?")
