"""Looking up a setting in its layers.

Highest first: argument in code, `using`, command line, ``RENGA_*`` environment, run file, ``[tool.renga]`` in
pyproject.toml, default. Every result says which layer it came from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from .environment import read_environment
from .errors import UnknownSetting, WrongType
from .files import Setting, read_pyproject, read_run_file, typed
from .schema import RUN_SECTIONS, SCHEMA, Key, find_key, known_keys
from .types import describe, from_toml, parse

__all__ = ["all_settings", "lookup", "section", "settings_state", "using", "using_command_line", "using_run_file"]

Layer = Mapping[str, Setting]

_using: ContextVar[tuple[Layer, ...]] = ContextVar("renga.using", default=())
# The command line and the run file apply to the whole process, so that worker threads see them too.
_command_line: Layer = {}
_run_file: Layer = {}


def settings_state() -> tuple[object, ...]:
    """Return a value that changes with `using`, the command line or the run file: then caches of settings are stale.
    The environment and pyproject.toml are assumed not to change.
    """
    return _using.get(), _command_line, _run_file


def _layers() -> Iterator[Layer]:
    yield from _using.get()
    yield _command_line
    yield read_environment()
    yield _run_file
    yield read_pyproject()


def _row(key: str, origin: str) -> Key:
    row = find_key(key)
    if row is None:
        raise UnknownSetting(key, origin, known_keys(key))
    return row


def lookup(key: str, argument: Any = None) -> Setting:
    """Return the value of a setting, and where it came from.

    Args:
        key: Full path, e.g. ``plugins.disable``, ``run.backend``, ``prefer.optimizer.adam``, ``optimizer.alpha``.
        argument: The value that the caller's caller passed; unless it is None, it is returned.

    An argument in a run section (``optimizer.alpha``) belongs to the section's ``use``: a layer with another ``use``
    (``--set optimizer.use=sgd``) hides the arguments of lower layers.

    Raises:
        UnknownSetting: The key does not exist, here or in one of the layers.
        WrongType: A layer contains a value of the wrong type.
        InvalidFile: pyproject.toml is not TOML.
    """
    row = _row(key, "argument of lookup")
    if argument is not None:
        return Setting(key, argument, "argument")
    for layer in _speaking(key):
        if key in layer:
            return layer[key]
    return Setting(key, row.default, "default")


def _speaking(key: str) -> Iterator[Layer]:
    """Yield the layers that may set `key`: all, or those above the first with another ``use`` in the section."""
    name = key.partition(".")[0]
    belongs_to_name = name in RUN_SECTIONS and all(key != row.name for row in SCHEMA)
    named = None
    for layer in _layers():
        use = layer.get(f"{name}.use")
        if belongs_to_name and use is not None:
            if named is not None and use.value != named:
                return
            named = use.value
        yield layer


def section(name: str) -> dict[str, Setting]:
    """Return the arguments for ``<name>.use``, by short name (``optimizer``: alpha, beta1, …)."""
    found: dict[str, Setting] = {}
    rows = {row.name for row in SCHEMA}
    for layer in _speaking(f"{name}.*"):
        for key, setting in layer.items():
            if key.startswith(f"{name}.") and key not in rows:
                found.setdefault(key.removeprefix(f"{name}."), setting)
    return found


def all_settings() -> list[Setting]:
    """Return every setting: each row of the schema, then further keys from the layers (prefer.*, arguments)."""
    keys = [row.name for row in SCHEMA if "*" not in row.name]
    layers = list(_layers())
    more = sorted({key for layer in layers for key in layer} - set(keys))
    found = [lookup(key) for key in [*keys, *more]]
    return [setting for setting in found if setting.key in keys or setting.origin != "default"]


@contextmanager
def using(settings: Mapping[str, Any] | None = None, /, **run: Any) -> Iterator[None]:
    """Set settings in this thread inside a `with` block, with priority over everything but an explicit argument.

    Args:
        settings: Values by full key: ``using({"plugins.disable": ["cupy"]})``.
        run: Keys of ``[run]`` by short name: ``using(backend="cupy:0", seed=1)``.

    Raises:
        UnknownSetting: The key does not exist.
        WrongType: A value has the wrong type.
    """
    given = {**(settings or {}), **{f"run.{name}": value for name, value in run.items()}}
    layer = {key: typed(_row(key, "renga.using"), value, "renga.using") for key, value in given.items()}
    token = _using.set((layer, *_using.get()))
    try:
        yield
    finally:
        _using.reset(token)


@contextmanager
def using_command_line(words: Mapping[str, tuple[str, Any]]) -> Iterator[None]:
    """Apply settings of the command line inside the `with` block, in the whole process.

    Args:
        words: By full key, the flag and its value: ``{"run.backend": ("--backend", "nope")}``. Text is converted to the
            key's type; other values are checked.

    Raises:
        UnknownSetting: The key does not exist.
        WrongType: A value has the wrong type.
    """
    global _command_line
    before, _command_line = _command_line, {**_command_line, **_read_command_line(words)}
    try:
        yield
    finally:
        _command_line = before


def _read_command_line(words: Mapping[str, tuple[str, Any]]) -> Layer:
    found = {}
    for key, (flag, value) in words.items():
        origin = f"command line {flag}"
        row = _row(key, origin)
        if not isinstance(value, str):
            found[key] = typed(row, value, origin)
            continue
        try:
            found[key] = Setting(key, from_toml(value) if row.type is Any else parse(value, row.type), origin)
        except TypeError:
            raise WrongType(key, origin, describe(row.type), from_toml(value)) from None
    return found


@contextmanager
def using_run_file(path: str | Path | Mapping[str, Setting]) -> Iterator[None]:
    """Apply a run file (its path, or the result of `read_run_file`) inside the block, in the whole process.

    Raises:
        SettingsError: The file cannot be read, is not TOML, or contains a wrong key or type.
    """
    global _run_file
    layer = path if isinstance(path, Mapping) else read_run_file(path)
    before, _run_file = _run_file, layer
    try:
        yield
    finally:
        _run_file = before
