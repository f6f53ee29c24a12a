"""What is no array where an array is meant is refused by name: with the function, the argument, and what was given.

Each function is called as its docstring's example calls it, with one argument after the other replaced.
"""

import inspect
from collections.abc import Mapping

import numpy as np
import pytest
from example_calls import example_call, is_array

import renga_nn.functions as F
from renga_core.graph import InvalidType, Variable

X = np.ones((2, 2))

NO_ARRAYS = {
    "list": [[1.0, 2.0], [3.0, 4.0]],
    "None": None,
    "str": "words",
    "int": 3,
    "float": 2.5,
    "object": object(),
}

INDEX = {("scatter_add", "slices")}
"""Not an array, but whatever may stand in brackets: what is wrong with it the array library says."""


def replaced(call, what):
    """The call with each argument in turn that is an array, a list of arrays or an optional array replaced."""
    for name, parameter in call.signature.parameters.items():
        value = call.arguments[name]
        several = isinstance(value, (list, tuple)) and len(value) > 0 and all(map(is_array, value))
        optional = value is None and any(word in str(parameter.annotation) for word in ("Any", "Array"))
        values = []
        if is_array(value) or optional or (several and parameter.kind is not inspect.Parameter.VAR_POSITIONAL):
            values.append(what)
        if several:
            values += [type(value)([*value[:i], what, *value[i + 1 :]]) for i in range(len(value))]
        for new in values:
            arguments: Mapping[str, object] = {**call.arguments, name: new}
            yield name, inspect.BoundArguments(call.signature, dict(arguments))


@pytest.mark.parametrize("name", F.__all__)
def test_what_is_no_array_is_refused_by_name(name):
    tried = 0
    names = (f"{name}: ", f"{getattr(F, name).__name__}: ")  # mean is average
    for kind, what in NO_ARRAYS.items():
        for argument, call in replaced(example_call(name), what):
            tried += 1
            try:
                getattr(F, name)(*call.args, **call.kwargs)  # numbers often do, None is a default
            except (TypeError, ValueError) as error:
                text = str(error)
                assert text.startswith(names), (argument, kind, text)
                # Of two numbers one could be an array.
                assert argument in text or kind in ("int", "float"), (argument, kind, text)
            except IndexError:
                assert (name, argument) in INDEX, (argument, kind)
    assert tried or not any(map(is_array, example_call(name).arguments.values()))


LIST = NO_ARRAYS["list"]
REFUSED = {
    "crelu: x": lambda: F.crelu(LIST),
    "relu: x": lambda: F.relu(LIST),
    "relu6: x": lambda: F.relu6(LIST),  # which is a clipped_relu
    "arccos: x": lambda: F.arccos(LIST),
    "linear: x": lambda: F.linear(LIST, X),
    "linear: W": lambda: F.linear(X, None),
    "matmul: a": lambda: F.matmul(LIST, X, transa=True),
    "matmul: b": lambda: Variable(X) @ LIST,
    "add: x1": lambda: Variable(X) + "words",
    "add: xs[1]": lambda: F.add(X, LIST),
    "identity: inputs[1]": lambda: F.identity(X, LIST),
    "concat: xs[1]": lambda: F.concat([X, LIST]),
    "concat: xs": lambda: F.concat(None),
    "where: y": lambda: F.where(X > 0, X, LIST),
    "maximum: x2": lambda: F.maximum(1.0, 2.0),
    "rrelu: r": lambda: F.rrelu(X, r=LIST),
    "zoneout: mask": lambda: F.zoneout(X, X, mask=LIST),
    "dropout: mask": lambda: F.dropout(X, mask=LIST),
    "simplified_dropconnect: mask": lambda: F.simplified_dropconnect(X, X, mask=LIST),
    "fixed_batch_renormalization: mean": lambda: F.fixed_batch_renormalization(X, X[0], X[0], LIST, X[0]),
}


@pytest.mark.parametrize("argument", REFUSED)
def test_the_message_names_function_and_argument(argument):
    with pytest.raises(InvalidType) as caught:
        REFUSED[argument]()
    assert str(caught.value).startswith(f"{argument}: expected "), caught.value
    assert ", got " in str(caught.value)


def test_numbers_do_where_the_other_operand_tells_the_dtype():
    x = np.array([1.0, 3.0], np.float32)
    for y in (F.maximum(x, 2.0), F.maximum(2, x), F.where(x > 2, x, 2)):
        assert y.dtype == np.float32
        assert y.array.tolist() == [2.0, 3.0]


def test_refused_statistics_leave_the_others_as_they_are():
    mean = np.zeros(2)
    with pytest.raises(InvalidType, match="running_var"):
        F.batch_normalization(np.array([[1.0, 2.0], [3.0, 4.0]]), X[0], X[0], running_mean=mean, running_var=[1.0, 1.0])
    assert mean.tolist() == [0.0, 0.0]
