"""Methods that subclasses may not override."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["enable_final", "final"]


class _Final(type):
    """The metaclass that checks whether a new class overrides marked methods of its bases."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any) -> _Final:
        made = super().__new__(mcs, name, bases, namespace, **kwargs)
        for attribute in namespace:
            for base in made.__mro__[1:]:
                marked = vars(base).get(attribute)
                action = getattr(marked, "_final_action", None)
                if action is not None:
                    message = f"{name} overrides the final method {attribute!r} of {base.__name__}"
                    if issubclass(action, Warning):
                        warnings.warn(message, action, stacklevel=2)
                    else:
                        raise action(message)
        return made


def enable_final(base: type | Sequence[type] = (), meta_base: type | Sequence[type] = ()) -> type:
    """A base class whose subclasses may not override what `final` marks.

    >>> class Base(enable_final()):
    ...     @final
    ...     def run(self): ...
    >>> class Derived(Base):
    ...     def run(self): ...
    Traceback (most recent call last):
    TypeError: Derived overrides the final method 'run' of Base

    Args:
        base: Base class, or several.
        meta_base: Additional base metaclass, or several, if `base` has a metaclass of its own.
    """
    bases = (base,) if isinstance(base, type) else tuple(base)
    metas = (meta_base,) if isinstance(meta_base, type) else tuple(meta_base)
    meta: type[type] = type("FinalMeta", (_Final, *metas), {}) if metas else _Final
    made: type = meta("EnableFinal", bases, {})
    return made


def final(*args: Callable[..., Any], action: type[Exception] = TypeError) -> Any:
    """Mark a method that subclasses of a class made with `enable_final` may not override.

    Used alone, ``@final``, or with an action, ``@final(action=DeprecationWarning)``.

    Args:
        args: The method, when used alone.
        action: The error to raise when a subclass that overrides the method is defined, or the warning to give.
    """

    def mark(method: Callable[..., Any]) -> Callable[..., Any]:
        method._final_action = action  # type: ignore[attr-defined]  # the mark
        return method

    return mark(args[0]) if args else mark
