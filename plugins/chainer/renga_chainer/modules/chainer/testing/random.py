"""``chainer.testing.random``: seeds before a test, and the state from before it after it."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from renga_testing.cases import fix_random as fix_random
from renga_testing.cases import generate_seed as generate_seed

__all__ = ["do_setup", "do_teardown", "fix_random", "generate_seed"]

_kept: list[Any] = []


def do_setup(deterministic: bool = True) -> None:
    """Seed NumPy's global generator, by 100 or by chance."""
    _kept.append((random.getstate(), np.random.get_state()))
    np.random.seed(100 if deterministic else None)


def do_teardown() -> None:
    """Put generators back as they were before `do_setup`."""
    python, numpy = _kept.pop()
    random.setstate(python)
    np.random.set_state(numpy)
