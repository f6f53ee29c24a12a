"""What a network is called with and what it returns: names, structure, shapes, dtypes."""

import warnings

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga_core.errors import RengaError

pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")

from renga_onnx import export

X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)


def exported(network, args, **arguments):
    """Names of inputs and of outputs; onnxruntime computes what the network returned."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model, inputs, outputs = export(network, args, return_named_inout=True, **arguments)
    assert list(inputs) == [value.name for value in model.graph.input]
    assert list(outputs) == [value.name for value in model.graph.output]
    ort = pytest.importorskip("onnxruntime", reason="pip install onnxruntime")
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for found, right in zip(session.run(None, dict(inputs)), outputs.values(), strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-3 if found.dtype == np.float16 else 1e-5, atol=1e-6)
        assert found.dtype == right.dtype
    return list(inputs), list(outputs)


@pytest.mark.parametrize(
    ("network", "args", "names"),
    [
        (lambda x: x * 2, X, (["Input_0"], ["Output_0"])),
        (lambda x: x * 2, renga.Variable(X), (["Input_0"], ["Output_0"])),
        (lambda a, b: a + b, (X, X + 1), (["Input_0", "Input_1"], ["Output_0"])),
        (lambda a, b: {"sum": a + b, "all": [a, b]}, {"b": X, "a": X}, (["b", "a"], ["sum", "all_0", "all_1"])),
        (lambda xs, n: F.concat(xs, 0) * n, [[X, X[:1]], 3], (["Input_0", "Input_1"], ["Output_0"])),
        (lambda pair, mode: pair["x"] if mode else 0, {"pair": {"x": X}, "mode": "up"}, (["pair_x"], ["Output_0"])),
        (lambda x: (x, [F.relu(x), {"a": -x}]), X, (["Input_0"], ["Output_0", "Output_1", "Output_2"])),
        (lambda a, b: F.relu(a), [X, X], (["Input_0", "Input_1"], ["Output_0"])),
        (lambda a: [F.relu(a)] * 2, X, (["Input_0"], ["Output_0", "Output_1"])),
        (lambda a: a, X, (["Input_0"], ["Output_0"])),
        (lambda a, b: a - b, [X, X], (["Input_0", "Input_1"], ["Output_0"])),
        (lambda: renga.Variable(X), [], ([], ["Output_0"])),
        (lambda x: F.exp(x) * 2, np.array(2.0, np.float32), (["Input_0"], ["Output_0"])),
        (lambda x: F.relu(x), X[:0], (["Input_0"], ["Output_0"])),
        (lambda x: F.where(x, X, -X), X > 0, (["Input_0"], ["Output_0"])),
    ],
)
def test_structures(network, args, names):
    assert exported(network, args) == names


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_dtypes(dtype):
    with renga.using_config("dtype", np.dtype(dtype)):
        network = renga.Sequential(L.Linear(None, 4), F.relu, lambda x: x * 2, L.BatchNormalization(4), L.Linear(2))
        exported(network, X.astype(dtype))
    assert network[0].W.dtype == dtype


def test_names():
    given = {"input_names": ["a b/c"], "output_names": ["W"]}
    assert exported(L.Linear(3, 2), X, **given) == (["a b/c"], ["W"])
    assert exported(L.Linear(3, 2), X, input_names=["W"]) == (["W"], ["Output_0"])
    renamed = {"input_names": {"a": "x"}, "output_names": {"sum": "y"}}
    assert exported(lambda a, b: {"sum": a + b}, {"a": X, "b": X}, **renamed) == (["x", "b"], ["y"])
    shapes = {"a": ("n", 3), "b": ("n", 3)}
    exported(lambda a, b: {"sum": a + b}, {"a": X, "b": X}, input_shapes=shapes, **renamed)
    exported(lambda xs: F.concat(xs, 0), {"xs": [X, X]}, input_shapes={"xs_0": ("n", 3)})


class Parameters(renga.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.first, self.second = L.Linear(3, 3), L.Linear(3, 3)
            self.second.W = self.first.W
        self.second.disable_update()

    def forward(self, x):
        return self.second(self.first(x)), self.first.W


def test_shared_and_disabled_parameters_and_one_that_is_returned():
    exported(Parameters(), X)
    names = [each.name for each in export(Parameters(), X).graph.initializer]
    assert names == ["first/W", "first/b", "second/b"]


@pytest.mark.parametrize(
    ("error", "message", "network", "args", "arguments"),
    [
        (TypeError, "model is of type int; expected a link, or a function", 3, X, {}),
        (TypeError, "the network returns None; an exported function must return", lambda x: None, X, {}),
        (TypeError, r"returns None at \[1\] of its result", lambda x: (x, None), X, {}),
        (TypeError, r"something of type int at \['n'\]\[0\]", lambda x: {"n": [1], "x": x}, X, {}),
        (TypeError, "the network returns an empty tuple", lambda x: (), X, {}),
        (TypeError, "args has no array and no Variable.*its type is int. Next: ", lambda x: x, 3, {}),
        (TypeError, "args has no array and no Variable.*its type is list", lambda x: x, [[1.0, 2.0]], {}),
        (TypeError, "Input_0 is an array of object; expected real numbers", F.relu, np.array([None]), {}),
        (TypeError, "Input_0 is an array of <U1", F.relu, np.array(["a"]), {}),
        (TypeError, "Input_0 is an array of complex64", F.relu, X * np.complex64(1j), {}),
        (ValueError, "input_names has '' for number 0; expected a text", F.relu, X, {"input_names": [""]}),
        (ValueError, "output_names has 'x' for number 1", lambda x: (x, -x), X, {"output_names": ["x", "x"]}),
        (ValueError, "output_names is .'x'.; expected a list of 2", lambda x: (x, -x), X, {"output_names": ["x"]}),
        (ValueError, "input_names is 'x'; expected a list of 1", F.relu, X, {"input_names": "x"}),
        (ValueError, r"input_names renames \['b'\]; there are: x", F.relu, {"x": X}, {"input_names": {"b": "y"}}),
        (ValueError, r"input_names renames \['x'\]; there are: Input_0", F.relu, X, {"input_names": {"x": "y"}}),
        (ValueError, "input_shapes is 3; expected a shape such as", F.relu, X, {"input_shapes": 3}),
        (ValueError, "input_shapes is 'batch'; expected a shape", F.relu, X, {"input_shapes": "batch"}),
        (
            ValueError,
            r"input_shapes has \(\) for Input_0, which is called with \(2, 3\)",
            F.relu,
            X,
            {"input_shapes": ()},
        ),
        (ValueError, r"input_shapes has \('', 3\) for Input_0", F.relu, X, {"input_shapes": ("", 3)}),
        (ValueError, r"input_shapes has \(None, 3\) for Input_0", F.relu, X, {"input_shapes": (None, 3)}),
        (
            ValueError,
            "input_shapes has a shape for 'b'; inputs are: x",
            F.relu,
            {"x": X},
            {"input_shapes": {"b": (2, 3)}},
        ),
        (ValueError, "axis 'n' of Input_0 has no elements. Next: ", F.relu, X[:0], {"input_shapes": ("n", 3)}),
        (ValueError, "opset_version is '13'; Renga writes 13 to 21", F.relu, X, {"opset_version": "13"}),
        (TypeError, r"external_converters\['ReLU'\] is of type int", F.relu, X, {"external_converters": {"ReLU": 3}}),
        (
            TypeError,
            r"external_converters\['ReLU'\] returned NoneType; expected a node, or a list of nodes",
            F.relu,
            X,
            {"external_converters": {"ReLU": lambda *args: None}},
        ),
    ],
)
def test_what_is_refused(error, message, network, args, arguments):
    with pytest.raises(error, match=message):
        export(network, args, **arguments)


def test_one_name_for_an_input_and_an_output():
    with pytest.raises(ValueError, match="an input and an output are both called 'x'"):
        export(F.relu, X, input_names=["x"], output_names=["x"])


def test_a_network_that_writes_into_its_input():
    def network(x):
        np.add(X, 1, out=x._array)
        return x * 2

    with pytest.raises(RengaError, match="the network writes into the array of its input 'Input_0'"):
        export(network, X)
