"""`Operation`: one reference implementation, and faster kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from renga_core.configuration import config, unusual
from renga_core.kernel.candidates import build_chain
from renga_core.kernel.implementation import Implementation, serves_all
from renga_core.plugin import Kernel, choices_state, registry
from renga_core.plugin.state import pass_interrupt
from renga_core.settings import UnknownSetting, section
from renga_core.tracepoints import chosen

if TYPE_CHECKING:
    from renga_core.backend import Backend

__all__ = ["Operation", "known_operations", "operations"]

operations: dict[str, Operation] = {}
"""Every operation whose module has been imported, by name."""


_Chosen = tuple[object, tuple[Implementation, ...], Implementation | None]
"""The state in which a list was made, the list, and its first element if that supports all arguments."""

_NOTHING: _Chosen = (None, (), None)


class Operation:
    """A named operation. Its list of implementations for a backend is kept until plugins or settings change.

    Args:
        name: Name under which kernels are registered: ``convolution_2d``.
        forward: The reference, written on its arguments' namespace.
        backward: The reference's backward.
        samples: ``module:function`` that makes example arguments for kernels, see `renga_core.kernel.sample.Samples`;
            only the conformance kit imports it.
    """

    def __init__(
        self,
        name: str,
        forward: Callable[..., Any],
        backward: Callable[..., Any] | None = None,
        *,
        samples: str = "",
    ) -> None:
        self.name = name
        self.samples = samples
        self.reference = Implementation("reference", forward, backward)
        self._chosen: dict[Backend, _Chosen] = {}
        operations[name] = self

    def select(self, backend: Backend, *args: Any) -> Implementation:
        """Return the implementation for these arguments: the first kernel that supports them, else the reference.

        Args:
            backend: The backend of the arrays among the arguments.
            args: The arguments of forward.

        Raises:
            RuntimeError: The settings require a kernel (``kernels.<name>``) that does not support these arguments.
        """
        found = self._chosen.get(backend, _NOTHING)
        if found[0] != choices_state():
            found = self._choose(backend)
        sole = found[2]
        if sole is not None:
            if unusual and config.choice_tracers:
                chosen(self, sole)
            return sole
        for implementation in found[1]:
            if implementation.supports(*args):
                if unusual and config.choice_tracers:
                    chosen(self, implementation)
                return implementation
        raise RuntimeError(
            f"operation {self.name!r}: kernel {found[1][0].name!r} is required (setting kernels.{self.name}) but does "
            f"not support these arguments on backend {backend.name!r}. Remove the setting, or set it to 'reference'."
        )

    def sole(self, backend: Backend) -> Implementation | None:
        """Return the implementation that supports all arguments; None if the choice depends on them.

        For functions whose overhead matters. ``relu`` of a small array takes 2.7 µs, 0.15 of it for this call; passing
        the arguments to `select` would take 0.3. Most of the time goes to `choices_state`, which sees settings of the
        current thread (`using`); because of them, the choice cannot be cached on the class.
        """
        found = self._chosen.get(backend, _NOTHING)
        if found[0] != choices_state():
            found = self._choose(backend)
        if unusual and found[2] is not None and config.choice_tracers:
            chosen(self, found[2])
        return found[2]

    def _choose(self, backend: Backend) -> _Chosen:
        found = self._chosen.get(backend, _NOTHING)
        if found[0] != choices_state():
            chain = self.chain(backend)
            sole = chain[0] if chain[0].supports is serves_all else None
            found = self._chosen[backend] = choices_state(), chain, sole
        return found

    def chain(self, backend: Backend) -> tuple[Implementation, ...]:
        """The implementations for a backend, best first; or a required kernel alone.

        Raises:
            UnknownProvider, ProviderUnavailable: The settings require a kernel that does not exist.
            UnknownSetting: The settings require a kernel for an operation that does not exist.
        """
        _refuse_unknown_operations()
        return build_chain(self.name, backend.name, self.reference)

    def forget(self) -> None:
        """Rebuild the lists at the next use. Needed only after a change of the environment or of pyproject.toml."""
        self._chosen.clear()


def known_operations() -> set[str]:
    """The names of all operations. Imports all modules that define operations, since only then they are known."""
    for kind in ("function", "link", "model", "optimizer", "optimizer_hook"):
        for name in registry(kind).names():
            try:
                registry(kind).load(name)
            except BaseException as error:  # the error is raised again at its use
                pass_interrupt(error)
    return set(operations)


def _refuse_unknown_operations() -> None:
    demands = section("kernels")
    if not demands:
        return
    offered = {offer.provider.op for offer, _ in registry("kernel").list() if isinstance(offer.provider, Kernel)}
    for name, demand in demands.items():
        if name not in operations and name not in offered and name not in known_operations():
            known = sorted(offered | set(operations))
            raise UnknownSetting(demand.key, demand.origin, [f"kernels.{operation}" for operation in known])
