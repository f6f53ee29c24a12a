"""The list of implementations of an operation, made from the kernels that plugins register."""

from __future__ import annotations

import warnings

from renga_core.errors import did_you_mean
from renga_core.kernel.implementation import Implementation
from renga_core.plugin import (
    Kernel,
    Offer,
    ProviderFaulty,
    RengaPluginWarning,
    State,
    UnknownProvider,
    get_manager,
    messages,
    registry,
)
from renga_core.plugin.provider import resolve
from renga_core.plugin.state import describe_error, pass_interrupt
from renga_core.settings import Setting, lookup

__all__ = ["build_chain", "offered_kernels"]


def offered_kernels(operation: str, backend: str) -> list[Offer]:
    """The kernels that plugins offer for an operation on a backend, in any state, best first. Imports nothing."""
    found = []
    # Not `Registry.list`, which finds out the state of all, of each operation and backend.
    for offer in get_manager().offers(registry("kernel").kind):
        kernel = offer.provider
        assert isinstance(kernel, Kernel)
        if kernel.op == operation and kernel.backend == backend:
            found.append((-kernel.priority, offer.full_name, offer))
    return [offer for _, _, offer in sorted(found, key=lambda row: row[:2])]


def build_chain(operation: str, backend: str, reference: Implementation) -> tuple[Implementation, ...]:
    """The implementations in order: kernels by priority, then the reference; or the required kernel alone.

    Leaves out kernels whose probe says that they cannot work here, and, with a warning, kernels that cannot be
    imported. A required kernel is never left out.

    Raises:
        UnknownProvider, ProviderUnavailable, ProviderFaulty: The settings require a kernel that cannot be used.
    """
    demand = lookup(f"kernels.{operation}")
    if demand.value == reference.name:
        return (reference,)
    offers = offered_kernels(operation, backend)
    if demand.value is not None:
        return _demanded(demand, offers, operation, backend, reference)
    chain = []
    for offer in offers:
        if offer.status.state is State.READY and offer.probe().state is State.READY:
            try:
                chain.append(_implementation(offer, reference))
            except BaseException as error:
                pass_interrupt(error)
                warnings.warn(
                    f"kernel {offer.full_name} is left out: {describe_error(error)}", RengaPluginWarning, stacklevel=2
                )
    return (*chain, reference)


def _demanded(
    demand: Setting, offers: list[Offer], operation: str, backend: str, reference: Implementation
) -> tuple[Implementation, ...]:
    """The kernels that the settings name: a single one, or all of a plugin."""
    kernels = registry("kernel")
    mine = [offer for offer in offers if demand.value in (offer.plugin.name, offer.name, offer.full_name)]
    # A plugin may have several, for different dtypes: take those that work here, or else raise the first one's error.
    mine = [offer for offer in mine if offer.probe().state is State.READY] or mine
    for offer in mine:
        kernels.load(offer.full_name, origin=demand.origin, probe=True)
    if mine:
        return tuple(_implementation(offer, reference) for offer in mine)
    of_another = any(demand.value in (offer.name, offer.full_name) for offer, _ in kernels.list())
    if of_another:
        kernels.get(demand.value, origin=demand.origin)  # disabled, ambiguous …: its error says more
    for plugin in get_manager().plugins():
        if demand.value in plugin.names and plugin.status.state is not State.READY:
            raise messages.unusable(kernels.kind, demand.value, demand.origin, plugin, plugin.status)
    known = [*(offer.full_name for offer in offers), "reference"]
    words = {word for offer in offers for word in (offer.plugin.name, offer.name, offer.full_name)} | {"reference"}
    near = "" if of_another else did_you_mean(demand.value, words)
    raise UnknownProvider(
        f"{demand.key} = {demand.value!r} (from {demand.origin}): that is not a kernel of operation {operation!r} for "
        f"backend {backend!r}.{near} Known: {', '.join(known)}."
    )


def _implementation(offer: Offer, reference: Implementation) -> Implementation:
    """Import a kernel.

    Raises:
        ProviderFaulty: The kernel has no backward, but the operation has one.
    """
    kernel = offer.provider
    assert isinstance(kernel, Kernel)
    target = offer.load()
    backward = getattr(target, "backward", None)
    if backward is None and reference.backward is not None:
        raise ProviderFaulty(
            f"kernel {offer.full_name} (of plugin {offer.plugin.name!r}) has no backward, but operation {kernel.op!r} "
            "needs a backward that fits this forward. Next, for its author: `renga check kernel:NAME`."
        )
    if not kernel.supports:
        return Implementation(offer.full_name, target.forward, backward)
    return Implementation(offer.full_name, target.forward, backward, resolve(kernel.supports))
