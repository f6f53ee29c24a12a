import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions.rnn import lstm
from renga_testing.function_suite import FunctionSuite


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class TestLSTM(FunctionSuite):
    cases = {
        "all sequences": {"rows": 3, "shape": (3, 2)},
        "some have ended": {"rows": 2, "shape": (4, 2)},
        "units that are images": {"rows": 2, "shape": (3, 2, 2)},
    }
    bad_inputs = {
        "no four gates": ((np.zeros((2, 3)), np.zeros((2, 10))), InvalidType, ["lstm: x", "4 M", "(2, 10)"]),
        "units": ((np.zeros((2, 3)), np.zeros((2, 8))), InvalidType, ["lstm: c_prev", "(2, 8)", "(2, 3)"]),
        "more rows": (
            (np.zeros((1, 2)), np.zeros((2, 8))),
            InvalidType,
            ["lstm: c_prev", "at least 2 rows"],
        ),
    }

    def make_inputs(self, rng, dtype):
        gates = (self.rows, 4 * self.shape[1], *self.shape[2:])
        return rng.normal(size=self.shape).astype(dtype), rng.normal(size=gates).astype(dtype)

    def call(self, c_prev, x):
        return lstm(c_prev, x)

    def reference(self, c_prev, x):
        a, i, f, o = (x[:, gate::4] for gate in range(4))
        n = len(x)
        c = c_prev.copy()
        c[:n] = np.tanh(a) * sigmoid(i) + sigmoid(f) * c_prev[:n]
        return c, np.tanh(c[:n]) * sigmoid(o)

    def empty_inputs(self, dtype):
        return np.ones((0, *self.shape[1:]), dtype), np.ones((0, 4 * self.shape[1], *self.shape[2:]), dtype)


def test_gates_do_not_overflow():
    c, h = lstm(np.ones((1, 1), np.float16), np.full((1, 4), -6e4, np.float16))
    assert (c.array, h.array) == (0, 0)


@pytest.mark.torch
def test_agrees_with_pytorch():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    c_prev, x = Variable(rng.normal(size=(3, 5))), Variable(rng.normal(size=(3, 20)))
    c, h = lstm(c_prev, x)
    cell = torch.nn.LSTMCell(20, 5, dtype=torch.float64)
    # PyTorch has its gates one after another in the order i, f, a, o.
    order = [4 * unit + gate for gate in (1, 2, 0, 3) for unit in range(5)]
    with torch.no_grad():
        cell.weight_ih.copy_(torch.eye(20, dtype=torch.float64)[order])
        for parameter in (cell.weight_hh, cell.bias_ih, cell.bias_hh):
            parameter.zero_()
    tensors = [torch.tensor(v.array, requires_grad=True) for v in (x, c_prev)]
    expected_h, expected_c = cell(tensors[0], (torch.zeros(3, 5, dtype=torch.float64), tensors[1]))
    np.testing.assert_allclose(c.array, expected_c.detach().numpy())
    np.testing.assert_allclose(h.array, expected_h.detach().numpy())
    gc, gh = rng.normal(size=(3, 5)), rng.normal(size=(3, 5))
    ((c * gc).sum() + (h * gh).sum()).backward()
    ((expected_c * torch.tensor(gc)).sum() + (expected_h * torch.tensor(gh)).sum()).backward()
    np.testing.assert_allclose(x.grad, tensors[0].grad.numpy())
    np.testing.assert_allclose(c_prev.grad, tensors[1].grad.numpy())
