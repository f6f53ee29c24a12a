"""The hooks: one for each kind, `renga_kinds`, and the `events`.

A kind's hook has no arguments and returns a list of descriptions. Its specification is generated from the kind's row;
its docstring contains an example plugin to paste.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from .events import EVENTS
from .hookimpl import PROJECT
from .kind import Kind
from .provider import Kernel, Namespace, Provider

__all__ = ["KINDS_HOOK", "hook_of", "renga_kinds", "specification"]

KINDS_HOOK = "renga_kinds"

_PROVIDER_DOCSTRING = """\
Describe the providers of kind ``{kind.name}``: {kind.summary}.

Called once, at the first use of this kind. Import and compute nothing here beyond `renga_core.plugin`: the target of a
description is imported when it is used.

Returns:
    A list of `{spec}`; empty if there is nothing to offer.

Example:
    A plugin to paste into ``acme/plugin.py``, with this in its pyproject.toml::

        [project.entry-points.renga]
        acme = "acme.plugin"

    and in the module::

        from renga_core.plugin import {spec}, hookimpl


        @hookimpl
        def {kind.hook}() -> list[{spec}]:
            return [
                {spec}(
{fields}                )
            ]
"""


def hook_of(kind: Kind[Any]) -> Callable[[], list[Provider]]:
    """Return the specification of a kind's hook: a function with the hook's name, documented from the row."""

    def specification() -> list[Provider]:
        raise NotImplementedError

    fields = [f'target="acme.{kind.name}:Acme"', f"revision={kind.revisions[-1]}", 'summary="what it is, in one line"']
    if issubclass(kind.spec, Namespace):
        fields = ['"renga.optimizers"', 'names={"acme.rules": "AcmeRule"}']
    elif issubclass(kind.spec, Kernel):
        fields = ['name="acme"', 'op="linear"', 'backend="numpy"', *fields]
    else:
        fields = ['name="acme"', *fields]
    specification.__name__ = specification.__qualname__ = kind.hook
    specification.__doc__ = _PROVIDER_DOCSTRING.format(
        kind=kind, spec=kind.spec.__name__, fields="".join(f"                    {field},\n" for field in fields)
    )
    specification.__annotations__["return"] = f"list[{kind.spec.__name__}]"
    return specification


def renga_kinds() -> list[Kind[Any]]:
    """Add kinds of providers, which every plugin can then provide. Core need not know about them.

    Called once, after all plugins were imported. Kinds that core has, or that another plugin defines differently, are
    refused.

    Returns:
        A list of `Kind`.

    Example:
        In a plugin for object detection::

            from typing import Any

            from renga_core.plugin import Kind, hookimpl

            DETECTOR: Kind[Any] = Kind("detector", summary="a callable that returns a detector")


            @hookimpl
            def renga_kinds() -> list[Kind[Any]]:
                return [DETECTOR]

        Then ``renga_detectors`` is a hook, and ``registry(DETECTOR).load("ssd")`` loads what it describes.
    """
    raise NotImplementedError


def specification(kinds: Iterable[Kind[Any]]) -> ModuleType:
    """Return a namespace with the specifications of all hooks, for pluggy: kinds' hooks and events."""
    from pluggy import HookspecMarker

    mark = HookspecMarker(PROJECT)
    hooks: dict[str, Any] = {kind.hook: mark(hook_of(kind)) for kind in kinds}
    hooks[KINDS_HOOK] = mark(renga_kinds)
    hooks.update({event.__name__: mark(event) for event in EVENTS})
    namespace = ModuleType("renga_hooks")
    vars(namespace).update(hooks)
    return namespace
