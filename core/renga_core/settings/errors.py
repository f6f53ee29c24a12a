"""Errors of settings. Each message names the key, where it was written, and the correct values."""

from __future__ import annotations

from collections.abc import Iterable

from renga_core.errors import RengaError, did_you_mean

__all__ = ["InvalidFile", "SettingsError", "UnknownSetting", "WrongType"]


class SettingsError(RengaError):
    """A setting cannot be used as written; the command line exits with status 2."""

    exit_status = 2


class UnknownSetting(SettingsError):
    """The key does not exist.

    Args:
        key: Full key as written, e.g. ``run.epoch``.
        origin: Where it was written, e.g. ``run file lenet.toml``.
        known: The existing keys, in full.
    """

    def __init__(self, key: str, origin: str, known: Iterable[str]) -> None:
        self.key, self.origin, self.known = key, origin, sorted(known)
        near = f" It is a section: write '{key}.NAME'." if key in self.known else did_you_mean(key, self.known)
        super().__init__(f"unknown key '{key}' (from {origin}).{near} Known: {', '.join(self.known)}.")


class WrongType(SettingsError):
    """The value of a key has the wrong type.

    Args:
        key: Full key, e.g. ``run.epochs``.
        origin: Where the value was written.
        expected: The type as text, e.g. ``int``.
        value: The wrong value.
    """

    def __init__(self, key: str, origin: str, expected: str, value: object) -> None:
        self.key, self.origin, self.expected, self.value = key, origin, expected, value
        super().__init__(f"{key} (from {origin}): expected {expected}, got {value!r} ({type(value).__name__})")


class InvalidFile(SettingsError):
    """A settings file cannot be read, or is not TOML."""
