"""`make_extension`: makes an extension from a function of the trainer."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from renga_core.training import Extension

if TYPE_CHECKING:
    from renga_core.training import TrainerLike, TriggerLike

__all__ = ["make_extension"]


class _FunctionExtension(Extension):
    """An extension made from a function. It can still be called as the original function, with any arguments."""

    def __init__(
        self,
        function: Callable[..., Any],
        default_name: str | None,
        finalizer: Callable[[], object] | None,
        initializer: Callable[[Any], object] | None,
        on_error: Callable[[Any, Exception, TracebackType | None], object] | None,
    ) -> None:
        self.function = function
        self.__doc__ = function.__doc__
        self.__name__ = default_name or str(getattr(function, "__name__", type(function).__name__))
        self._finalizer = finalizer
        self._initializer = initializer
        self._on_error = on_error

    @property
    def default_name(self) -> str:
        return self.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def initialize(self, trainer: TrainerLike) -> None:
        if self._initializer is not None:
            self._initializer(trainer)

    def on_error(self, trainer: TrainerLike, exc: Exception, tb: TracebackType | None) -> None:
        if self._on_error is not None:
            self._on_error(trainer, exc, tb)

    def finalize(self) -> None:
        if self._finalizer is not None:
            self._finalizer()


def make_extension(
    trigger: TriggerLike | None = None,
    default_name: str | None = None,
    priority: int | None = None,
    finalizer: Callable[[], object] | None = None,
    initializer: Callable[[Any], object] | None = None,
    on_error: Callable[[Any, Exception, TracebackType | None], object] | None = None,
) -> Callable[[Callable[..., Any]], Extension]:
    """Return a decorator that makes an extension from a function of the trainer.

    Args:
        trigger: When to call it; None: in each iteration.
        default_name: Its name in the trainer; None: the function's name.
        priority: See `Extension.priority`; None: `PRIORITY_READER`.
        finalizer: See `Extension.finalize`.
        initializer: Called with the trainer; see `Extension.initialize`.
        on_error: See `Extension.on_error`.

    Example:
        >>> @make_extension(trigger=(10, "iteration"))
        ... def tell(trainer):
        ...     print(trainer.updater.iteration)
        >>> tell.default_name, tell.trigger
        ('tell', (10, 'iteration'))
    """

    def decorate(function: Callable[..., Any]) -> Extension:
        extension = _FunctionExtension(function, default_name, finalizer, initializer, on_error)
        if trigger is not None:
            extension.trigger = trigger
        if priority is not None:
            extension.priority = priority
        return extension

    return decorate
