"""Updates that are one operation: on the parameters, or on parameters in half precision with their float32 copies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from renga_core.backend import Array, get_array_module, get_backend
from renga_core.kernel import ListOperation
from renga_core.optimizer import UpdateRule
from renga_core.optimizer.fp32_copy import widen

__all__ = ["OperationRule", "UpdateOperation", "refresh_copies", "round_copies"]

Arrays = Sequence[Array]


def _refresh(copies: Arrays, params: Arrays) -> None:
    for copy, param in zip(copies, params, strict=True):
        unchanged = copy.astype(param.dtype) == param
        copy[...] = get_array_module(param).where(unchanged, copy, param.astype(copy.dtype))


def _round(params: Arrays, copies: Arrays) -> None:
    for param, copy in zip(params, copies, strict=True):
        param[...] = copy.astype(param.dtype)


_SAMPLES = "renga_optimizers.example_arguments"
refresh_copies = ListOperation("refresh_fp32_copy", _refresh, lists=2, samples=f"{_SAMPLES}:refresh_fp32_copy")
"""Copy those elements of parameters into their float32 copies that differ from the rounded copies."""
round_copies = ListOperation("round_fp32_copy", _round, lists=2, samples=f"{_SAMPLES}:round_fp32_copy")
"""Set parameters to their rounded copies."""


class UpdateOperation(ListOperation):
    """An update of parameters: operation ``<name>_update``.

    Args:
        name: The algorithm, as in the registry of optimizers: ``adam``.
        forward: The reference. It takes parameters, gradients and states as lists, then numbers.
        lists: The number of lists.

    Attributes:
        half: Operation ``<name>_update_fp32``, the same update of parameters in half precision. It takes these
            parameters, their gradients (in half precision, or float32), float32 copies of the parameters, and the
            states as lists; then the same numbers, and the number by which it divides gradients first. It sets elements
            of a copy whose parameter is not their rounded value to the parameter, updates the copies, and rounds them
            to the parameters.
    """

    def __init__(self, name: str, forward: Callable[..., None], *, lists: int) -> None:
        super().__init__(f"{name}_update", forward, lists=lists, samples=f"{_SAMPLES}:{name}_update")
        self.half = ListOperation(
            f"{self.name}_fp32", self._update_halves, lists=lists + 1, samples=f"{self.samples}_fp32"
        )

    def _update_halves(self, params: Arrays, grads: Arrays, copies: Arrays, *rest: Any) -> None:
        *rest_of_update, divisor = rest
        backend = get_backend(params[0])
        if divisor != 1 or any(grad.dtype != copies[0].dtype for grad in grads):
            wide = [backend.xp.empty_like(grad, dtype=copies[0].dtype) for grad in grads]  # in their memory order
            widen(backend, wide, grads, divisor)
            grads = wide
        refresh_copies(backend, copies, params)
        self(backend, copies, grads, *rest_of_update)
        round_copies(backend, params, copies)


class OperationRule(UpdateRule):
    """The base of rules whose whole update is one operation, on parameters, gradients, states and `numbers`.

    Attributes:
        operation: The operation; its lists of states are in the order of their names.
    """

    operation: ClassVar[UpdateOperation]

    @abstractmethod
    def numbers(self) -> tuple[float, ...]:
        """The numbers that the operation takes, for update number `t`."""

    def update_group(self, params: Arrays, grads: Arrays, state: Mapping[str, Arrays]) -> None:  # noqa: D102 - the protocol's
        self.operation(get_backend(params[0]), params, grads, *_states(state), *self.numbers())

    def update_half_group(  # noqa: D102 - the protocol's
        self, params: Arrays, grads: Arrays, copies: Arrays, state: Mapping[str, Arrays], scale: float
    ) -> None:
        self.operation.half(get_backend(params[0]), params, grads, copies, *_states(state), *self.numbers(), scale)

    def updates_halves(self) -> bool:
        """Whether `update_group` is the one above, and not one of a subclass, which may do something else."""
        return type(self).update_group is OperationRule.update_group


def _states(state: Mapping[str, Arrays]) -> list[Arrays]:
    return [state[name] for name in sorted(state)]
