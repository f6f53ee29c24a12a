"""Gradients of arrays whose class has attributes of the names that a Variable's have."""

import numpy as np
import pytest

from renga_core.backend.lookup import array_types
from renga_core.graph import Variable


class Wrapped(np.ndarray):
    """As the strict array API's, it has an array in it that is not the one meant."""

    _array = "another array"
    _grad = "another gradient"


@pytest.fixture
def wrapped(monkeypatch):
    monkeypatch.setitem(array_types, Wrapped, array_types[type(Variable(np.ones(1)).array)])
    return np.ones(2, np.float32).view(Wrapped)


def test_a_gradient_to_start_from_and_one_to_add_to(wrapped):
    x = Variable(wrapped)
    for times in (1, 2):
        y = x * 3
        y.grad = wrapped * 2
        y.backward()
        assert x.grad.tolist() == [6 * times] * 2
