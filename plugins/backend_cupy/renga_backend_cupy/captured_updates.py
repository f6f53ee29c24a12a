"""The updates of a captured step: their kernels are in the graph, and before each replay the host counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from renga_backend_cupy.captured_numbers import CapturedNumbers, Room
from renga_core.optimizer import GradientMethod, UpdateRule
from renga_core.optimizer.groups import Group

__all__ = ["CapturedUpdates"]


class CapturedUpdates:
    """What an optimizer does in a captured step.

    Args:
        optimizer: The optimizer, set up.
    """

    def __init__(self, optimizer: GradientMethod) -> None:
        self._optimizer = optimizer
        self._room = Room()
        self._steps = 0
        self._calls: list[tuple[list[UpdateRule], CapturedNumbers, Callable[[], None]]] = []

    @contextmanager
    def capture(self) -> Iterator[None]:
        """In this block updates are captured but not made; its end restores the counts.

        Raises:
            TypeError: The numbers of some update cannot be brought to the GPU, so each replay would repeat the same.
        """
        optimizer = self._optimizer
        params = [] if optimizer.target is None else optimizer.target.params()
        rules = [param.update_rule for param in params if param.update_rule is not None]
        before, steps = [rule.t for rule in rules], optimizer.t
        optimizer.update_group = self._capture_group  # type: ignore[method-assign]  # of this one, whatever its class
        try:
            yield
            captured = Counter(id(rule) for group, _, _ in self._calls for rule in group)
            if any(rule.t - t != captured[id(rule)] for rule, t in zip(rules, before, strict=True)):
                raise self._refusal()
        finally:
            del optimizer.update_group  # the one set above
            self._steps = optimizer.t - steps
            optimizer.t = steps
            for rule, t in zip(rules, before, strict=True):
                rule.t = t

    def before_replay(self) -> None:
        """Count, and bring the numbers of each update to the GPU."""
        self._optimizer.t += self._steps
        for rules, numbers, update in self._calls:
            for rule in rules:
                rule.t += 1
            with numbers.replay():
                update()

    def _capture_group(self, group: Group) -> None:
        numbers = CapturedNumbers(self._room)
        update = group.call()
        with numbers.capture(), group.device.use():
            update()
        if numbers.rows != len(group.rules):
            raise self._refusal()
        self._calls.append((group.rules, numbers, update))

    def _refusal(self) -> TypeError:
        return TypeError(
            f"a step with {type(self._optimizer).__name__} cannot be captured as it is: the numbers of its update "
            "would be fixed in the graph, and each replay would repeat the same one. Next: use Adam, AdamW, SGD, "
            "MomentumSGD, CorrectedMomentumSGD, NesterovAG or RMSprop of renga.optimizers, on parameters in float32 or "
            "float64; half precision needs use_fp32_update()"
        )
