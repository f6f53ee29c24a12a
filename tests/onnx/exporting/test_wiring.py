"""Programs that decide by values or sizes what computes with what: a warning or an error says where."""

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga_core.errors import RengaError

pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")

from renga_onnx import export

X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
WHERE = r"\(.*test_wiring\.py:\d+\)"


class Experts(renga.Chain):
    def __init__(self, decide):
        super().__init__()
        with self.init_scope():
            self.a, self.b = L.Linear(3, 3), L.Linear(3, 3)
        self.decide = decide

    def forward(self, x):
        return F.relu((self.a if self.decide(x) else self.b)(x))


def negative(x):
    return x.array[0, 0] < 0


def both(x):
    return F.tanh(x), F.sigmoid(x)


def used(x):
    a, b = both(x)
    return F.relu(a if negative(x) else b)


def returned(x):
    a, b = both(x)
    return a if negative(x) else b


def swapped(x):
    a, b = both(x)
    return a - b if negative(x) else b - a


def repeated(x):
    for _ in range(int(abs(x.array).sum())):
        x = F.tanh(x)
    return x


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (Experts(negative), f"Linear {WHERE} computes with a/W in one run, b/W in the other"),
        (used, f"ReLU {WHERE} computes with what Tanh {WHERE} returns in one run, what Sigmoid {WHERE} returns in"),
        (returned, f"it returns what Tanh {WHERE} returns in one run, what Sigmoid {WHERE} returns in the other"),
        (swapped, f"Subtract {WHERE} computes with what Tanh"),
        (repeated, f"Tanh {WHERE} in one run, but no function at this position in the other"),
    ],
)
def test_decided_by_values(network, message):
    with pytest.warns(UserWarning, match=f"computes differently for other values of its inputs: {message}"):
        export(network, X)


def test_decided_by_sizes():
    network = Experts(lambda x: len(x) > 2)
    export(network, X, input_shapes=(2, 3))
    with pytest.raises(RengaError, match=f"other sizes of the named axes: Linear {WHERE} computes with b/W in one run"):
        export(network, X, input_shapes=("batch", 3))
