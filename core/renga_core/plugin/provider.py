"""Descriptions of what plugins provide: `Provider`; `Kernel`, a fast implementation of one operation; `Namespace`."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import InvalidDescription

__all__ = ["AUTO", "AUTO_ORDER", "NAME", "TARGET", "Kernel", "Namespace", "Provider", "resolve"]

NAME = re.compile(r"[a-z0-9_.-]+")
"""The form of a name of a provider, a kind or a plugin."""

TARGET = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
"""``module:attribute``; both parts may contain dots."""

MODULE = re.compile(r"[A-Za-z_]\w*")

SUFFIX = re.compile(r"\.[a-z0-9_-]+")

AUTO = "auto"
"""A choice left to Renga; not allowed as a provider's name."""

AUTO_ORDER = ("accelerator", "cpu")
"""The values of `Provider.auto` for providers that `AUTO` may choose, in the order in which they are tried."""


@dataclass(frozen=True)
class Provider:
    """Describes something that a plugin provides, without importing it.

    Args:
        name: The name that users write: lower-case letters, digits, ``_ . -``. Names that are stored in files may
            contain a version, ``conv2d.v1``.
        target: ``module:attribute``, imported at the provider's first use.
        revision: The revision of the kind's interface that it implements.
        summary: One line for listings; if empty, the first line of the target's docstring.
        url: Documentation, and where to report bugs.
        needs: Top-level modules that it requires. They are modules, because several distributions may contain a module
            (CuPy); and top-level, because finding ``a.b`` would import ``a``.
        probe: ``module:function`` that returns None, or a sentence saying why the provider cannot work on this machine.
            Called before computing, never for a list.
        install_hint: What to do if a required module is missing: ``pip install 'renga[cuda13]'``.
        options: ``module:Dataclass`` of the keyword arguments of `target`; "": taken from its signature.
        capabilities: Features beyond the kind's minimum; the conformance kit tests each of them.
        auto: Lets ``auto`` choose this provider, if it can be used: an ``"accelerator"`` before a ``"cpu"``. "": it is
            used only by name. For kinds whose default is ``auto``: array backends.
        launcher: For a communicator, the name of the provider of kind ``launcher`` that starts its ranks.
        suffixes: For a file format, the suffixes of its files: ``(".h5", ".hdf5")``.
        inputs: For a function or link, ``module:function`` that makes the arguments for its conformance kit from a
            NumPy generator and a floating dtype: a tuple of host arrays, or a dictionary of arguments by name. Arrays
            may be in lists; other values are passed unchanged (to a link, at construction). "": the kit guesses.

    Raises:
        InvalidDescription: A field is invalid.
    """

    name: str
    target: str
    revision: int
    summary: str = ""
    url: str = ""
    needs: tuple[str, ...] = ()
    probe: str = ""
    install_hint: str = ""
    options: str = ""
    capabilities: frozenset[str] = field(default_factory=frozenset)
    auto: str = ""
    launcher: str = ""
    suffixes: tuple[str, ...] = ()
    inputs: str = ""

    def __post_init__(self) -> None:
        self._check(_is_name(self.name), "name", "lower-case letters, digits, _ . -")
        self._check(self.name != AUTO, "name", f"another name: {AUTO!r} means «let Renga choose»")
        for name in ("target", "probe", "options", "inputs"):
            value = getattr(self, name)
            if value != "" or name == "target":
                self._check(isinstance(value, str) and TARGET.fullmatch(value), name, "'module:attribute'")
        self._check(_is_whole(self.revision) and self.revision >= 1, "revision", "a whole number from 1")
        if self.launcher:
            names = isinstance(self.launcher, str) and all(map(NAME.fullmatch, self.launcher.split(":")))
            self._check(names, "launcher", "the name of a launcher")
        for name in ("summary", "url", "install_hint"):
            value = getattr(self, name)
            self._check(isinstance(value, str) and "\n" not in value, name, "one line of text")
        if self.auto != "":
            self._check(self.auto in AUTO_ORDER, "auto", f"one of {', '.join(AUTO_ORDER)}, or nothing")
        # Users often write a list or a set here; it is converted to an immutable type.
        object.__setattr__(self, "needs", self._texts("needs", MODULE, "top-level module names"))
        object.__setattr__(
            self, "suffixes", self._texts("suffixes", SUFFIX, "suffixes such as '.h5', in small letters")
        )
        object.__setattr__(self, "capabilities", frozenset(self._texts("capabilities", NAME, "names")))

    def _texts(self, name: str, pattern: re.Pattern[str], what: str) -> tuple[str, ...]:
        values = getattr(self, name)
        listed = isinstance(values, (tuple, list, set, frozenset))
        valid = listed and all(isinstance(value, str) and pattern.fullmatch(value) for value in values)
        self._check(valid, name, f"a tuple of {what}")
        return tuple(values)

    def _check(self, valid: object, name: str, expected: str) -> None:
        if not valid:
            raise InvalidDescription(
                f"{type(self).__name__} {self.name!r}: {name} is {getattr(self, name)!r}; expected {expected}"
            )


@dataclass(frozen=True, kw_only=True)
class Kernel(Provider):
    """A faster implementation of one operation for the arrays of one backend.

    Args:
        op: Name of the operation, ``linear``.
        backend: Name of the array backend, ``numpy``.
        target: ``module:attribute`` of the implementation.
        supports: ``module:function``, called with the operation's arguments; returns whether the kernel supports them.
            It must not raise an error. "": supports all.
        priority: Of the kernels that support the arguments, the one with the highest priority runs; if there is none,
            the reference.
        name: The name by which users require it. Default: ``<op>.<backend>``.

    The other fields are those of `Provider`.
    """

    op: str
    backend: str
    supports: str = ""
    priority: int = 0
    name: str = ""
    revision: int = 1
    summary: str = ""

    def __post_init__(self) -> None:
        for name in ("op", "backend"):
            value = getattr(self, name)
            self._check(_is_name(value), name, "lower-case letters, digits, _ . -")
        if not self.name:
            object.__setattr__(self, "name", f"{self.op}.{self.backend}")
        super().__post_init__()
        valid = isinstance(self.supports, str) and (not self.supports or TARGET.fullmatch(self.supports))
        self._check(valid, "supports", "'module:function'")
        self._check(_is_whole(self.priority), "priority", "a whole number")


@dataclass(frozen=True)
class Namespace(Provider):
    """Names of a plugin in a public module that are not providers: base classes, constants, helper functions.

    Providers need no namespace: they appear in the public module of their kind, named like their target. Example::

        Namespace("renga.optimizers", names={"acme.lion": "LionRule lion_update"})

    Args:
        name: The public module, ``renga.optimizers``.
        names: Public names by module of the plugin, separated by spaces.
        target: Leave it out: it is set to the first name.
        summary: Leave it out: it is set to the number of names.
    """

    target: str = ""
    revision: int = 1
    names: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        mapping = isinstance(self.names, Mapping) and bool(self.names)
        valid = mapping and all(
            isinstance(text, str)
            and text.split()
            and TARGET.fullmatch(f"{module}:name")
            and all(map(MODULE.fullmatch, text.split()))
            for module, text in self.names.items()
        )
        self._check(valid, "names", "{'module': 'name name …'}")
        if not self.target:
            module, text = next(iter(self.names.items()))
            object.__setattr__(self, "target", f"{module}:{text.split()[0]}")
        if not self.summary:
            count = sum(len(text.split()) for text in self.names.values())
            object.__setattr__(self, "summary", f"{count} name{'s' if count > 1 else ''} in {self.name}")
        super().__post_init__()


def _is_name(value: object) -> bool:
    return isinstance(value, str) and NAME.fullmatch(value) is not None


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def resolve(target: str) -> Any:
    """Import ``module:attribute`` and return the attribute."""
    module, _, attributes = target.partition(":")
    found: Any = importlib.import_module(module)
    for attribute in attributes.split("."):
        found = getattr(found, attribute)
    return found
