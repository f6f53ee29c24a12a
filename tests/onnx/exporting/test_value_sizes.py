"""Functions whose outputs have sizes that depend on values: what is computed from them fits any size."""

import itertools

import numpy as np
import pytest

import renga
import renga.functions as F

pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")
ort = pytest.importorskip("onnxruntime", reason="pip install onnxruntime")

from renga_onnx import export  # noqa: E402
from renga_onnx.exporting.sizes import first_sizes, second_sizes  # noqa: E402


class Positive(renga.FunctionNode):
    """The places of positive elements of an array ``(N,)``: integers ``(K,)``."""

    data_axes = {"positive": [(0, 0)]}

    def forward(self, inputs):
        return (np.flatnonzero(inputs[0] > 0).astype(np.int64),)

    def to_onnx(self, call):
        found = call.op("NonZero", [call.op("Greater", [call.inputs[0], call.constant(0)])])
        call.squeeze(found, [0], call.outputs)


def positive(x):
    return Positive().apply((x.array,))[0].array


def chosen(x):
    return x[positive(x)]


def products(x):
    """A size that is a product, one that is a factor of another, and two that have nothing to do with each other."""
    few, others = x[positive(x)], x[positive(-x)]
    table = F.reshape(few, (-1, 1)) * F.reshape(others, (1, -1))
    long = F.reshape(F.broadcast_to(table, (2, *table.shape)), (2 * len(few), len(others)))
    return F.sum(long, axis=0), F.reshape(long, (-1,)), np.ones(len(few), np.float32) * few


def with_neighbours(x):
    """An offset, and indices of two axes."""
    few = x[positive(x)]
    numbers = np.arange(len(few))
    table = F.stack([few, few * 2.0], axis=1)
    return table[numbers, np.ones(len(few), np.int64)], F.pad(few, [(1, 2)], "constant")


INPUTS = [
    np.array([1, -2, 3, -4, 5, 6], np.float32),
    np.array([-1, -2, -3, -4, -5, 6], np.float32),
    np.array([1, 2, 3, 4, 5, 6], np.float32),
    np.full(6, -1, np.float32),
]


@pytest.mark.parametrize("network", [chosen, products, with_neighbours])
@pytest.mark.parametrize("traced", range(len(INPUTS)))
def test_any_size(network, traced):
    model = export(network, INPUTS[traced])
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for x in INPUTS:
        expected = network(renga.Variable(x))
        found = session.run(None, {"Input_0": x})
        for y, z in zip(found, expected if isinstance(expected, tuple) else [expected], strict=True):
            np.testing.assert_array_equal(y, z.array)


def test_the_axis_has_a_name_and_the_outputs_are_those_of_the_call():
    model, _, outputs = export(chosen, INPUTS[0], return_named_inout=True)
    assert model.graph.output[0].type.tensor_type.shape.dim[0].dim_param == "positive"
    np.testing.assert_array_equal(outputs["Output_0"], [1, 3, 5, 6])


def test_assumed_sizes_can_be_told_apart():
    pairs = list(itertools.islice(zip(first_sizes(), second_sizes(), strict=True), 30))
    assert len({b / a for a, b in pairs}) == len({b - a for a, b in pairs}) == len(pairs)
    assert pairs[0] == (7, 11)
