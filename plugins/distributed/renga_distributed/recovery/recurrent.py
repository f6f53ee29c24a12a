"""The state of recurrent links from batch to batch, which belongs to the examples of their rank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from renga_core.backend import to_host
from renga_core.errors import RengaError
from renga_core.graph import Variable
from renga_core.link import Link
from renga_distributed.optimizers.private import State

__all__ = ["RecurrentState"]


class RecurrentState:
    """The Variables of links with `reset_state`.

    Args:
        roots: Trees of links, by name.
    """

    what = "what its recurrent links remember"

    def __init__(self, roots: Mapping[str, Link]) -> None:
        self._roots = roots

    @classmethod
    def there_is(cls, roots: Mapping[str, Link]) -> bool:
        """Whether there are recurrent links."""
        return any(hasattr(link, "reset_state") for root in roots.values() for link in root.links())

    def own(self) -> State:
        """See `Private`.

        Raises:
            RengaError: A Variable still holds the graph of the batches before, which cannot be sent.
        """
        found: State = {}
        for path, link in self._links():
            for name, value in _remembered(link).items():
                if value.creator_node is not None:
                    raise RengaError(
                        f"link {path} ({type(link).__name__}) remembers in {name} how it was computed from earlier "
                        "batches, which would be lost with its rank. Next: call loss.unchain_backward() after "
                        "backward, or reset_state() at the end of each update"
                    )
                found[f"{path}/{name}"] = to_host(value.array)
        return found

    def take(self, state: State) -> None:
        """See `Private`."""
        for path, link in self._links():
            for name in _remembered(link):
                setattr(link, name, None)
            for key, array in state.items():
                owner, _, name = key.rpartition("/")
                if owner == path:
                    setattr(link, name, Variable(link.device.send(array.copy())))

    def indivisible(self) -> str:
        """Return why the state cannot be divided, if any exists: each rank continues with its own sequences."""
        links = sorted({type(link).__name__ for _, link in self._links() if _remembered(link)})
        return f"{', '.join(links)}: each rank remembers sequences of its own from batch to batch" if links else ""

    def share_out(self, states: Sequence[State]) -> State:
        """Forget the state."""
        return {}

    def _links(self) -> Iterator[tuple[str, Link]]:
        for name, root in self._roots.items():
            for path, link in root.namedlinks():
                if hasattr(link, "reset_state"):
                    yield f"{name}{path}", link


def _remembered(link: Any) -> dict[str, Variable]:
    return {name: value for name, value in vars(link).items() if type(value) is Variable}
