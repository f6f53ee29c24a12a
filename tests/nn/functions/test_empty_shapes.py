"""Arrays with an axis of no elements: an answer, as NumPy's, or an error that names the function; none from inside.

Each function is called as its docstring's example calls it, with axes cut to nothing: one, two, those of one place in
all arrays, those of one size.
"""

import inspect
from itertools import combinations, count

import numpy as np
import pytest
from example_calls import example_call, is_array

import renga_nn.functions as F
from renga_core.graph import InvalidType, Variable

INDEX_ERRORS = {"get_item", "scatter_add", "embed_id"}
"""Their docstrings say so: an index that is out of range."""


def mapped(value, change):
    if is_array(value):
        return change(value)
    return type(value)([mapped(each, change) for each in value]) if isinstance(value, (list, tuple)) else value


def shapes_in(call):
    found = []
    mapped(list(call.arguments.values()), lambda x: found.append(np.shape(getattr(x, "array", x))))
    return found


def cuts(shapes):
    """Sets of axes to cut, by number of the array and of the axis."""
    axes = [(i, axis) for i, shape in enumerate(shapes) for axis in range(len(shape))]
    yield from ({axis} for axis in axes)
    if len(axes) <= 8:
        yield from map(set, combinations(axes, 2))
    yield {(i, 0) for i, _ in axes}
    yield {(i, len(shapes[i]) - 1) for i, _ in axes}
    for size in {size for shape in shapes for size in shape}:
        yield {(i, axis) for i, axis in axes if shapes[i][axis] == size}


def arguments(call, cut, as_variables):
    numbers = count()

    def change(given):
        i, x = next(numbers), np.array(getattr(given, "array", given))
        x = x[tuple(slice(0, 0) if (i, axis) in cut else slice(None) for axis in range(x.ndim))]
        return Variable(x) if isinstance(given, Variable) or (as_variables and x.dtype.kind == "f") else x

    changed = {key: mapped(value, change) for key, value in call.arguments.items()}
    return inspect.BoundArguments(call.signature, changed)


def backward(outputs):
    ys = []
    mapped(outputs, ys.append)
    for y in ys:
        if isinstance(y, Variable) and y.creator_node is not None and y.dtype.kind == "f":
            y.grad = np.ones(y.shape, y.dtype)
            y.backward(retain_grad=True)


def raised(function, bound):
    """The error of a call or of its gradients, if there is one."""
    try:
        backward(function(*bound.args, **bound.kwargs))
    except Exception as error:
        return error
    return None


# Means of nothing are NaN, with NumPy's warning; it and the gradient of arccos at 1 are no matter of this test.
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", F.__all__)
def test_an_answer_or_an_error_with_its_name(name):
    call = example_call(name)
    names = (f"{name}: ", f"{getattr(F, name).__name__}: ")
    for cut in cuts(shapes_in(call)):
        for as_variables in (False, True):
            error = raised(getattr(F, name), arguments(call, cut, as_variables))
            if error is not None and not isinstance(error, InvalidType) and not str(error).startswith(names):
                no_variable = as_variables and "Variable" in str(error)  # some arguments are arrays, and no Variables
                assert no_variable or (isinstance(error, IndexError) and name in INDEX_ERRORS), (cut, error)


@pytest.mark.parametrize(
    ("x", "W", "out"),
    [
        ((0, 2, 4, 4), (3, 2, 3, 3), (0, 3, 2, 2)),
        ((2, 0, 4, 4), (3, 0, 3, 3), (2, 3, 2, 2)),
        ((2, 2, 4, 4), (0, 2, 3, 3), (2, 0, 2, 2)),
    ],
    ids=["examples", "channels", "filters"],
)
def test_convolution_of_nothing_is_its_bias(x, W, out):
    x, W, b = Variable(np.ones(x, np.float32)), Variable(np.ones(W, np.float32)), Variable(np.arange(W[0], dtype="f"))
    y = F.convolution_2d(x, W, b)
    np.testing.assert_array_equal(y.array, np.broadcast_to(b.array[:, None, None], out))
    y.grad = np.ones(out, np.float32)
    y.backward()
    assert not x.grad.any()
    assert not W.grad.any()
    np.testing.assert_array_equal(b.grad, np.full(b.shape, out[0] * 4))
    assert (x.grad.shape, W.grad.shape) == (x.shape, W.shape)


@pytest.mark.parametrize("shape", [(3, 0), (0, 0)])
def test_no_classes(shape):
    for function, name in ((F.softmax_cross_entropy, "x"), (F.accuracy, "y"), (F.f1_score, "y")):
        with pytest.raises(InvalidType, match=f"{function.__name__}: {name}: .* at least one class"):
            function(np.zeros(shape, np.float32), np.zeros(shape[0], np.int32))


def test_filters_without_elements_are_refused():
    with pytest.raises(InvalidType, match="convolution_2d: W: expected filters of at least one element"):
        F.convolution_2d(np.ones((1, 1, 4, 4), np.float32), np.ones((1, 1, 0, 3), np.float32))
