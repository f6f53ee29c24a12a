"""Several functions as one node: arguments of all kinds, results of all kinds, gradients."""

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L

pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")

from renga_onnx import export
from renga_onnx.onnx_helper import make_node
from renga_onnx.replace_func import as_funcnode, fake_as_funcnode

X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)


def exported(network, name, *args):
    """The node of an exported function of that name, and the function as its converter saw it."""
    seen = []

    def convert(func, opset_version, input_names, output_names, context):
        seen.append(func)
        return make_node(name, input_names, output_names, domain="acme")

    model = export(network, list(args), external_converters={name: convert}, external_opset_imports={"acme": 1})
    (node,) = [node for node in model.graph.node if node.op_type == name]
    return node, seen[0]


def test_arrays_in_lists_and_dictionaries_are_inputs():
    @as_funcnode("Joined", rename_attributes=[("axis", "along")])
    def joined(xs, named, axis=1, *more, scale=2.0, **rest):
        return F.concat([*xs, *named.values(), *more, *rest.values()], axis=axis) * scale

    def network(a, b):
        return joined([a, (b, a)[0]], {"c": b, "number": a}, 1, a, last=b)

    node, func = exported(network, "Joined", X, X + 1)
    assert list(node.input) == ["Input_0", "Input_1", "Input_1", "Input_0", "Input_0", "Input_1"]
    assert (func.along, func.scale) == (1, 2.0)
    right = np.concatenate([X, X + 1, X + 1, X, X, X + 1], axis=1) * 2
    np.testing.assert_array_equal(network(X, X + 1).array, right)

    x, y = renga.Variable(X), renga.Variable(X + 1)
    F.sum(network(x, y)).backward()
    np.testing.assert_array_equal(x.grad, np.full_like(X, 6))
    np.testing.assert_array_equal(y.grad, np.full_like(X, 6))


@pytest.mark.parametrize(("kind", "count"), [(tuple, 1), (tuple, 2), (list, 1), (list, 3)])
def test_results_keep_their_structure(kind, count):
    replaced = fake_as_funcnode(lambda x: kind(x * i for i in range(count)), "Several")
    results = replaced(renga.Variable(X))
    assert type(results) is kind
    assert len(results) == count
    node, _ = exported(lambda x: list(replaced(x)), "Several", X)
    assert len(node.output) == count


def test_scalars_of_numpy_and_methods():
    class Scaled(renga.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.linear = L.Linear(3, 2)

        @as_funcnode("Scaled")
        def scaled(self, x, factor=None):
            return x * factor

        def forward(self, x):
            return self.scaled(self.linear(x), np.float32(3))

    node, func = exported(Scaled(), "Scaled", X)
    assert len(node.input) == 1
    assert func.factor == 3


@pytest.mark.parametrize(
    ("function", "arguments", "error", "message"),
    [
        (lambda x: {"y": x}, (X,), TypeError, "Mine: returned dict; expected a Variable, or a tuple or list of them"),
        (lambda x: None, (X,), TypeError, "Mine: returned NoneType; expected"),
        (lambda x: x, (3,), TypeError, "Mine: none of its arguments is an array or a Variable"),
        (lambda x, inputs: x, (X, 3), ValueError, r"rename_attributes=\[\('inputs', …\)\]"),
        (lambda x, apply=None: x, (X,), ValueError, "argument 'apply' has the name of an attribute"),
    ],
)
def test_what_cannot_be_one_node(function, arguments, error, message):
    with pytest.raises(error, match=message):
        fake_as_funcnode(function, "Mine")(*arguments)
