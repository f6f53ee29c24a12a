"""Settings about plugins: which to load, which to prefer, which to use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .kind import Kind

if TYPE_CHECKING:
    from renga_core.settings import Setting

__all__ = ["ARGUMENT", "Rules", "chosen", "preferred", "rules"]

ARGUMENT = "argument"
"""The origin of a name that the program passed as an argument."""

Wish = str | tuple[str, ...]


class Rules(NamedTuple):
    """Which plugins to load, and where each rule comes from.

    Attributes:
        disable: Plugins that are never imported, and providers (``plugin:name``) that are never offered.
        autoload: Whether all installed plugins are loaded, or only those in `required`.
        required: Plugins that must be ready.
        origins: Where each of these comes from, by name.
    """

    disable: tuple[str, ...] = ()
    autoload: bool = True
    required: tuple[str, ...] = ()
    origins: tuple[tuple[str, str], ...] = ()

    def origin(self, name: str) -> str:
        """Return where `name` (``disable``, …) comes from."""
        return dict(self.origins).get(name, "default")


def rules() -> Rules:
    """Return the current settings under ``plugins``."""
    from renga_core.settings import lookup

    names = ("disable", "autoload", "required")
    found = {name: lookup(f"plugins.{name}") for name in names}
    values: dict[str, Any] = {name: found[name].value for name in names}
    return Rules(**values, origins=tuple((name, found[name].origin) for name in names))


def preferred(kind: Kind[Any], name: str) -> Setting | None:
    """Return the setting ``[prefer.<kind>]`` for this short name or ``auto``; its value is a plugin.

    None: there is no such setting.
    """
    from renga_core.settings import lookup

    setting = lookup(f"prefer.{kind.name}.{name}")
    return None if setting.value is None else setting


def chosen(kind: Kind[Any]) -> tuple[Wish | None, str]:
    """Return the settings' choice for this kind (None: no setting), and where it comes from."""
    from renga_core.settings import lookup

    if not kind.config_key:
        return None, "default"
    _, value, origin = lookup(kind.config_key)
    name_of = kind.config_name
    if name_of is not None and value is not None:
        value = name_of(value) if isinstance(value, str) else tuple(name_of(word) for word in value)
    return value, origin
