"""Hooks that are called for every forward computation of a link."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

if TYPE_CHECKING:
    from types import TracebackType

    from renga_core.link.link import Link

__all__ = ["ForwardPostprocessCallbackArgs", "ForwardPreprocessCallbackArgs", "LinkHook", "get_link_hooks"]


class ForwardPreprocessCallbackArgs(NamedTuple):
    """The argument of a hook before a link computes.

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
    """The argument of a hook after a link has computed.

    Attributes:
        link, forward_name, args, kwargs: See `ForwardPreprocessCallbackArgs`.
        out: The value that the link returned.
    """

    link: Link
    forward_name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    out: Any


class LinkHook:
    """Called before and after the forward computation of links. Subclass it and override methods.

    As a context manager it watches all links that the current thread calls::

        with TimerHook() as timer:
            model(x)

    ``link.add_hook(hook)`` watches one link, in all threads. Without active hooks there is no overhead.

    Attributes:
        name: Name under which the hook is registered; only one hook of a name can be active.
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
        """Stop watching this thread's links; without effect if the hook does not watch them."""
        if get_link_hooks().get(self.name) is self:
            watchers.discard((threading.get_ident(), self.name))
            del get_link_hooks()[self.name]

    def added(self, link: Link | None) -> None:
        """Called when the hook is registered, for one link or (None) for all; raise an error to refuse."""

    def deleted(self, link: Link | None) -> None:
        """Called when the hook is removed."""

    def forward_preprocess(self, args: ForwardPreprocessCallbackArgs) -> None:
        """Called before a link computes."""

    def forward_postprocess(self, args: ForwardPostprocessCallbackArgs) -> None:
        """Called after a link has computed, unless it raised an error."""

    def forward_aborted(self, args: ForwardPreprocessCallbackArgs) -> None:
        """Called instead of `forward_postprocess` if the link, or an earlier hook, raised an error."""


class _Active(threading.local):
    """The hooks of a thread, by name."""

    def __init__(self) -> None:
        self.hooks: dict[str, LinkHook] = {}


_active = _Active()
watchers: set[tuple[int, str]] = set()
"""The hooks that watch all links of a thread, by thread number.

Testing whether it is empty takes a quarter of the time of a look into thread-local storage.
"""


def get_link_hooks() -> dict[str, LinkHook]:
    """The hooks that watch all links of this thread, by name."""
    return _active.hooks


def forward_with_hooks(link: Link, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the method `forward` of `link`, with this thread's hooks around it, and inside them the link's own."""
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
