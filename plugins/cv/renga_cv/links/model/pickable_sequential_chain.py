"""Layers in sequence; the output of any layer can be picked by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from renga_core.errors import did_you_mean
from renga_core.link import Chain

__all__ = ["PickableSequentialChain"]


class PickableSequentialChain(Chain):
    """Layers that are called one after another. The outputs of any of them can be returned.

    Every callable assigned in an `init_scope` becomes a layer, in that order: links, and functions too. ::

        class Net(PickableSequentialChain):
            def __init__(self):
                super().__init__()
                with self.init_scope():
                    self.l1 = Linear(None, 100)
                    self.l1_relu = relu
                    self.l2 = Linear(100, 10)

        net = Net()
        y = net(x)
        net.pick = "l1_relu", "l2"
        h, y = net(x)

    Attributes:
        layer_names: The names of the layers, in order.
    """

    def __init__(self) -> None:
        super().__init__()
        self.layer_names: list[str] = []
        self._pick: str | tuple[str, ...] | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if self.within_init_scope and callable(value) and name not in self.layer_names:
            self.layer_names.append(name)

    def __delattr__(self, name: str) -> None:
        if name in self._picked():
            raise AttributeError(
                f"{type(self).__name__}: layer {name!r} cannot be deleted, because it is picked; change `pick` first"
            )
        super().__delattr__(name)
        if name in self.layer_names:
            self.layer_names.remove(name)

    @property
    def pick(self) -> str | tuple[str, ...] | None:
        """Outputs to return: of the last layer (None), of a layer (its name), or of several (a tuple).

        Raises:
            ValueError: On assignment: there is no layer of that name.
        """
        return self._pick

    @pick.setter
    def pick(self, pick: str | Iterable[str] | None) -> None:
        wanted = pick if pick is None or isinstance(pick, str) else tuple(pick)
        for name in (wanted,) if isinstance(wanted, str) else wanted or ():
            if name not in self.layer_names:
                raise ValueError(
                    f"{type(self).__name__} has no layer {name!r}; it has: {', '.join(self.layer_names)}."
                    + did_you_mean(name, self.layer_names)
                )
        self._pick = wanted

    def remove_unused(self) -> None:
        """Delete the layers after the last one that is picked, and their parameters."""
        for name in self.layer_names[len(self._needed()) :]:
            delattr(self, name)

    def forward(self, x: Any) -> Any:
        """Call the layers one after another, up to the last one that is picked.

        Args:
            x: Input of the first layer.

        Returns:
            The output that `pick` names, or a tuple of outputs in the order of `pick`.
        """
        picked = self._picked()
        outputs = {}
        for name in self._needed():
            x = getattr(self, name)(x)
            if name in picked:
                outputs[name] = x
        return tuple([outputs[name] for name in picked]) if isinstance(self._pick, tuple) else x

    def copy(self, mode: str = "share") -> Self:
        """Copy the tree, as `Link.copy`. `pick` and deleted layers of the copy do not affect the original."""
        made = super().copy(mode)
        made.layer_names = list(self.layer_names)
        return made

    def _picked(self) -> tuple[str, ...]:
        if self._pick is None:
            return ()
        return (self._pick,) if isinstance(self._pick, str) else self._pick

    def _needed(self) -> list[str]:
        """The names of layers that `forward` calls."""
        if self._pick is None:
            return self.layer_names
        return self.layer_names[: 1 + max((self.layer_names.index(name) for name in self._picked()), default=-1)]
