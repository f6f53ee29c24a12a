"""Makes tests draw the same random numbers each time."""

from __future__ import annotations

import functools
import random as python_random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from renga_core import random
from renga_testing.cases.parameters import classes_of

__all__ = ["fix_random", "generate_seed"]

SEED = 100

_depth = 0


def fix_random(*, setup_method: str = "setUp", teardown_method: str = "tearDown") -> Callable[[Any], Any]:
    """Make a test method, or all tests of a class, draw the same random numbers each time.

    The generators of Renga, NumPy (global) and Python are seeded before the test and restored after it.

    Args:
        setup_method, teardown_method: Names of the methods that run before and after each test of a class.
    """

    def decorate(target: Any) -> Any:
        if callable(target) and not isinstance(target, type):

            @functools.wraps(target)
            def test(*args: Any, **kwargs: Any) -> Any:
                with _fixed():
                    return target(*args, **kwargs)

            return test
        for cls in classes_of(target):
            _wrap(cls, setup_method, teardown_method)
        return target

    return decorate


def generate_seed() -> int:
    """Return a seed for another generator; a test with `fix_random` gets the same seeds each time.

    Raises:
        RuntimeError: Random numbers are not fixed.
    """
    if not _depth:
        raise RuntimeError("generate_seed: random numbers are not fixed. Next: decorate the test with fix_random()")
    return int(np.random.randint(0xFFFFFFFF, dtype=np.uint32))


def _wrap(cls: type[Any], setup_method: str, teardown_method: str) -> None:
    before, after = getattr(cls, setup_method), getattr(cls, teardown_method)

    @functools.wraps(before)
    def set_up(self: Any) -> None:
        with ExitStack() as stack:
            stack.enter_context(_fixed())
            before(self)
            self._random_numbers = stack.pop_all()

    @functools.wraps(after)
    def tear_down(self: Any) -> None:
        with self._random_numbers:
            after(self)

    setattr(cls, setup_method, set_up)
    setattr(cls, teardown_method, tear_down)


@contextmanager
def _fixed() -> Iterator[None]:
    """If nested, only the outermost call has an effect."""
    global _depth
    if _depth:
        yield
        return
    kept = random.get_state(), np.random.get_state(), python_random.getstate()
    random.seed(SEED)
    np.random.seed(SEED)
    python_random.seed(SEED)
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        random.set_state(kept[0])
        np.random.set_state(kept[1])
        python_random.setstate(kept[2])
