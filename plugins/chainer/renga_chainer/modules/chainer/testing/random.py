"""``chainer.testing.random``: seeds random numbers before a test and restores the state after it."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from renga_testing.cases import fix_random as fix_random
from renga_testing.cases import generate_seed as generate_seed

__all__ = ["do_setup", "do_teardown", "fix_random", "generate_seed"]

_kept: list[Any] = []


def do_setup(deterministic: bool = True) -> None:
    """Seed NumPy's global generator, with 100 or with a random seed."""
    _kept.append((random.getstate(), np.random.get_state()))
    np.random.seed(100 if deterministic else None)


def do_teardown() -> None:
    """Restore the state of the generators before `do_setup`."""
    python, numpy = _kept.pop()
    random.setstate(python)
    np.random.set_state(numpy)
