"""Functions that are called before and after an update."""

from __future__ import annotations

from collections.abc import Callable, Iterable

__all__ = ["UpdateHooks"]

TIMINGS = ("pre", "post")


class UpdateHooks:
    """Hooks by name, in order of registration, called before (``"pre"``) or after (``"post"``) an update.

    Args:
        owner: Name of the owner, for messages.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._hooks: dict[str, tuple[str, Callable[..., object]]] = {}

    def add(self, hook: Callable[..., object], name: str | None, timing: str) -> None:
        """Register a hook; see `Optimizer.add_hook`."""
        if not callable(hook):
            raise TypeError(f"a hook must be callable, and {hook!r} is not")
        when = getattr(hook, "timing", "pre") if timing == "auto" else timing
        if when not in TIMINGS:
            raise ValueError(f"the timing of a hook is 'pre', 'post' or 'auto', not {when!r}")
        key = getattr(hook, "name", getattr(hook, "__name__", None)) if name is None else name
        if key is None:
            raise ValueError(f"{hook!r} has no attribute `name`; give one when you add it: add_hook(hook, name='…')")
        if key in self._hooks:
            raise KeyError(f"{self._owner} has a hook {key!r} already; remove that one, or give this another name")
        self._hooks[key] = (when, hook)

    def remove(self, name: str) -> None:
        """Remove the hook with this name. Raises KeyError if there is none."""
        if name not in self._hooks:
            raise KeyError(f"{self._owner} has no hook {name!r}; it has: {', '.join(self._hooks) or 'none'}")
        del self._hooks[name]

    def __bool__(self) -> bool:
        return bool(self._hooks)

    def at(self, timing: str) -> Iterable[Callable[..., object]]:
        """The hooks for this timing, in order of registration."""
        return [hook for when, hook in self._hooks.values() if when == timing]
