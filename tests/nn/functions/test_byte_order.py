"""Arrays of the other byte order (``>f4``, ``>i4``): each function's results and gradients are those of native ones.

Each function is called as its docstring's example calls it: with all arrays of that order, and with one after another.
"""

import inspect

import numpy as np
import pytest
from example_calls import example_call, is_array

import renga_nn.functions as F
from renga_core import random
from renga_core.graph import Variable


def mapped(value, change):
    """A value with all arrays in it, also in lists, tuples and dictionaries, replaced."""
    if is_array(value) and np.ndim(value) > 0:
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)([mapped(each, change) for each in value])
    if isinstance(value, dict):
        return {key: mapped(each, change) for key, each in value.items()}
    return value


def arrays_in(value):
    found = []
    mapped(value, lambda array: found.append(getattr(array, "array", array)))
    return found


def called(name, call, foreign):
    """Everything that a call computes: its results, the gradients, and its arguments afterwards.

    Args:
        foreign: The numbers of the arrays, from 0 on, that are given in the other byte order.
    """
    variables, count = [], iter(range(1000))

    def change(given):
        array = np.array(getattr(given, "array", given))
        if next(count) in foreign:
            array = array.astype(array.dtype.newbyteorder())
        if not isinstance(given, Variable):
            return array
        variables.append(Variable(array))
        return variables[-1]

    arguments = {key: mapped(value, change) for key, value in call.arguments.items()}
    bound = inspect.BoundArguments(call.signature, arguments)
    random.seed(0)
    outputs = getattr(F, name)(*bound.args, **bound.kwargs)
    results = arrays_in(outputs)
    assert all(result.dtype.isnative for result in results)
    ys = []
    mapped(outputs, ys.append)
    for y in ys:
        if isinstance(y, Variable) and y.creator_node is not None and y.dtype.kind == "f":
            grad = np.cos(np.arange(y.size, dtype=y.dtype)).reshape(y.shape)
            y.grad = grad.astype(grad.dtype.newbyteorder()) if foreign else grad
            y.backward(retain_grad=True)
    return results, [x.grad for x in variables], arrays_in(arguments)


def as_variables(call):
    """The call with Variables in place of arrays of floats."""
    arguments = {
        key: mapped(value, lambda x: x if isinstance(x, Variable) or x.dtype.kind != "f" else Variable(x))
        for key, value in call.arguments.items()
    }
    return inspect.BoundArguments(call.signature, arguments)


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")  # the gradient of arccos at 1
@pytest.mark.parametrize("name", F.__all__)
def test_as_native(name):
    calls = [example_call(name)]
    calls.append(as_variables(calls[0]))
    tried = 0
    for call in calls:
        arrays = range(len(arrays_in(call.arguments)))
        for foreign in [set(arrays), *[{number} for number in arrays]]:
            try:
                right = called(name, call, set())
            except (TypeError, ValueError):
                if call is calls[0]:
                    raise
                continue  # some arguments are arrays, and no Variables
            tried += 1
            for ours, theirs in zip(called(name, call, foreign), right, strict=True):
                for got, expected in zip(ours, theirs, strict=True):
                    np.testing.assert_array_equal(got, expected, str(foreign))
    assert tried
