"""Converting a mini-batch, a list of examples, to arrays on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from renga_core.backend import Device

__all__ = ["Converter"]


class Converter:
    """Makes the arguments of a model from a mini-batch. Updaters and evaluators call it with the target device."""

    def __call__(self, batch: list[Any], device: Device | str | None = None) -> Any:
        """Convert a batch.

        Args:
            batch: The examples.
            device: Device of the arrays; None: leave them where they are.

        Returns:
            A tuple, passed to the model as positional arguments; a dictionary, passed as keyword arguments; or one
            argument.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define __call__(batch, device)")
