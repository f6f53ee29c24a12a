"""Errors in a step that is compiled."""

from __future__ import annotations

import numpy as np
import pytest
from small_networks import MLP, called, floats, labels, training

import renga
import renga.functions as F
from renga import Parameter
from renga.optimizers import SGD


def test_an_error_leaves_the_step_usable():
    model = MLP()
    step = renga.compile(training(model, SGD(lr=0.0)))
    x, t = floats(5, 6), labels(4, 5)
    expected = float(called(step, x, t).array)
    with pytest.raises(ValueError, match="label"):
        step(x, t + 100)
    assert float(step(x, t).array) == expected
    assert step.explain().startswith("replayed")


def test_an_error_while_recording_leaves_nothing_behind():
    w = Parameter(floats(3))

    def step(x):
        F.sum(x * w).backward()
        raise OSError("no")

    compiled = renga.compile(step)
    for _ in range(3):
        with pytest.raises(OSError, match="no"):
            compiled(floats(3))
    assert renga.config.tracers == ()
    assert type(w._array) is type(w._grad) is np.ndarray
