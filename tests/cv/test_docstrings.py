"""The examples in the docstrings of `renga_cv` run."""

import doctest
import importlib
import pkgutil
import random

import numpy as np

import renga_cv


def test_examples():
    names = [module.name for module in pkgutil.walk_packages(renga_cv.__path__, "renga_cv.")]
    states = random.getstate(), np.random.get_state()  # which the random transforms use
    try:
        failed = {name: doctest.testmod(importlib.import_module(name)).failed for name in sorted(names)}
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])
    assert not [name for name, count in failed.items() if count]
