"""Being told of every forward computation of a link."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

if TYPE_CHECKING:
    from types import TracebackType

    from renga_core.link.link import Link

__all__ = ["ForwardPostprocessCallbackArgs", "ForwardPreprocessCallbackArgs", "LinkHook", "get_link_hooks"]


class ForwardPreprocessCallbackArgs(NamedTuple):
    """What a hook learns before a link computes.

    Attributes:
        link: The link that was called.
        forward_name: Name of the method that computes, ``"forward"``.
        args, kwargs: The arguments of the call.
    """

    link: Link
    forward_name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


class ForwardPostprocessCallbackArgs(NamedTuple):
    """What a hook learns after a link has computed.

    Attributes:
        link, forward_name, args, kwargs: As of `ForwardPreprocessCallbackArgs`.
        out: What the link returned.
    """

    link: Link
    forward_name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    out: Any


class LinkHook:
    """Called before and after the forward computation of links. Subclass it and override what you need.

    As a context manager it watches all links that this thread calls::

        with TimerHook() as timer:
            model(x)

    ``link.add_hook(hook)`` watches one link, in all threads. While no hook is active, hooks cost nothing.

    Attributes:
        name: Under which the hook is registered; one of a name at a time.
    """

    name = "LinkHook"

    def __enter__(self) -> Self:
        hooks = get_link_hooks()
        if self.name in hooks:
            raise KeyError(f"a link hook named {self.name!r} is active already; give this one another `name`")
        self.added(None)
        hooks[self.name] = self
        watchers.add((threading.get_ident(), self.name))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.leave()
        self.deleted(None)

    def leave(self) -> None:
        """Watch this thread's links no longer; nothing happens if the hook does not."""
        if get_link_hooks().get(self.name) is self:
            watchers.discard((threading.get_ident(), self.name))
            del get_link_hooks()[self.name]

    def added(self, link: Link | None) -> None:
        """The hook is being registered, with one link or (None) with all; raise an error to refuse."""

    def deleted(self, link: Link | None) -> None:
        """The hook was taken away."""

    def forward_preprocess(self, args: ForwardPreprocessCallbackArgs) -> None:
        """Before a link computes."""

    def forward_postprocess(self, args: ForwardPostprocessCallbackArgs) -> None:
        """After a link has computed; not called if it raised."""

    def forward_aborted(self, args: ForwardPreprocessCallbackArgs) -> None:
        """In place of `forward_postprocess`, if the link, or another hook before it, raised an error."""


class _Active(threading.local):
    """The hooks of a thread, by name."""

    def __init__(self) -> None:
        self.hooks: dict[str, LinkHook] = {}


_active = _Active()
watchers: set[tuple[int, str]] = set()
"""Threads, by number, and the hooks that watch all links there.

To look whether it is empty costs a link's call a quarter of what looking into the thread's own storage does.
"""


def get_link_hooks() -> dict[str, LinkHook]:
    """The hooks that watch all links of this thread, by name."""
    return _active.hooks


def forward_with_hooks(link: Link, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Compute `link` by its method `forward`, announced to this thread's hooks and then to the link's own."""
    hooks = [*_active.hooks.values(), *link.local_link_hooks.values()]
    before = ForwardPreprocessCallbackArgs(link, "forward", args, kwargs)
    begun: list[LinkHook] = []
    try:
        for hook in hooks:
            hook.forward_preprocess(before)
            begun.append(hook)
        out = forward(*args, **kwargs)
    except BaseException:
        for hook in reversed(begun):
            hook.forward_aborted(before)
        raise
    after = ForwardPostprocessCallbackArgs(link, "forward", args, kwargs, out)
    for hook in hooks:
        hook.forward_postprocess(after)
    return out
