"""Gradients that are told of while backward goes on."""

import numpy as np
import pytest

import renga.functions as F
from renga_core.graph import Parameter, Variable, arriving_gradients


def parameters(count):
    return [Parameter(np.full(3, 1.0 + i)) for i in range(count)]


def test_each_leaf_once_latest_layer_first() -> None:
    a, b, c = parameters(3)
    told = []
    loss = F.sum(((Variable(np.ones(3)) * a) * b) * c)
    with arriving_gradients(lambda variable, gradient: told.append((variable, gradient))):
        loss.backward()
    assert [variable for variable, _ in told] == [c, b, a]
    for variable, gradient in told:
        assert variable.grad is gradient


def test_a_leaf_that_is_used_twice_is_complete_after_its_first_use() -> None:
    a, b = parameters(2)
    told = []
    loss = F.sum(a * b + F.exp(a))
    with arriving_gradients(lambda variable, gradient: told.append((variable, gradient.copy()))):
        loss.backward()
    assert sorted(id(variable) for variable, _ in told) == sorted([id(a), id(b)])  # each once
    by_id = {id(variable): gradient for variable, gradient in told}
    np.testing.assert_allclose(by_id[id(a)], b.array + np.exp(a.array))


def test_earlier_gradients_are_counted_in() -> None:
    (a,) = parameters(1)
    F.sum(a * 2.0).backward()
    told = []
    with arriving_gradients(lambda variable, gradient: told.append(gradient)):
        F.sum(a * 3.0).backward()
    np.testing.assert_array_equal(told[0], np.full(3, 5.0))
    assert a.grad is told[0]


def test_backward_goes_on_after_the_listener_was_called() -> None:
    a, b = parameters(2)
    seen = []
    loss = F.sum(F.exp(a) * b)
    with arriving_gradients(lambda variable, gradient: seen.append(a.grad)):
        loss.backward()
    assert seen == [None, None]  # no `grad` is written before the walk has ended
    assert a.grad is not None


def test_leaves_that_are_not_reached_are_not_told_of() -> None:
    a, b = parameters(2)
    told = []
    loss = F.sum(a * 2.0)
    with arriving_gradients(lambda variable, gradient: told.append(variable)):
        loss.backward()
    assert told == [a]
    assert b.grad is None


def test_with_double_backprop() -> None:
    (a,) = parameters(1)
    told = []
    loss = F.sum(a * a * a)
    with arriving_gradients(lambda variable, gradient: told.append(gradient)):
        loss.backward(enable_double_backprop=True)
    np.testing.assert_allclose(told[0], 3 * a.array**2)
    assert a.grad_var is not None


def test_an_error_of_the_listener_leaves_gradients_as_they_were() -> None:
    (a,) = parameters(1)

    def fail(variable, gradient) -> None:
        raise RuntimeError("no network")

    loss = F.sum(a * 2.0)
    with arriving_gradients(fail), pytest.raises(RuntimeError, match="no network"):
        loss.backward()
    assert a.grad is None
