"""Being told of every forward computation of a link."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import TracebackType

    from renga_core.link.link import Link

__all__ = ["ForwardPostprocessCallbackArgs", "ForwardPreprocessCallbackArgs", "LinkHook", "get_link_hooks"]


@dataclass(frozen=True, slots=True)
class ForwardPreprocessCallbackArgs:
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


@dataclass(frozen=True, slots=True)
class ForwardPostprocessCallbackArgs(ForwardPreprocessCallbackArgs):
    """What a hook learns after a link has computed.

    Attributes:
        out: What the link returned.
    """

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
        watchers.change(1)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        del get_link_hooks()[self.name]
        watchers.change(-1)
        self.deleted(None)

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


class _Watchers:
    """How many hooks watch all links of some thread.

    To look at this number costs a link's call a quarter of what looking into the thread's own storage does.
    """

    __slots__ = ("_lock", "count")

    def __init__(self) -> None:
        self.count = 0
        self._lock = threading.Lock()

    def change(self, by: int) -> None:
        with self._lock:
            self.count += by


_active = _Active()
watchers = _Watchers()


def get_link_hooks() -> dict[str, LinkHook]:
    """The hooks that watch all links of this thread, by name."""
    return _active.hooks


def forward_with_hooks(link: Link, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Compute `link`, announced to this thread's hooks and then to the link's own."""
    hooks = [*_active.hooks.values(), *link.local_link_hooks.values()]
    before = ForwardPreprocessCallbackArgs(link, "forward", args, kwargs)
    begun: list[LinkHook] = []
    try:
        for hook in hooks:
            hook.forward_preprocess(before)
            begun.append(hook)
        out = link.forward(*args, **kwargs)
    except BaseException:
        for hook in reversed(begun):
            hook.forward_aborted(before)
        raise
    after = ForwardPostprocessCallbackArgs(link, "forward", args, kwargs, out)
    for hook in hooks:
        hook.forward_postprocess(after)
    return out
