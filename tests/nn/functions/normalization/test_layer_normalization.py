import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions.normalization import layer_normalization
from renga_testing.function_suite import FunctionSuite


class TestLayerNormalization(FunctionSuite):
    cases = {"matrix": {"shape": (3, 5)}, "sequence": {"shape": (2, 3, 4)}}
    bad_inputs = {
        "gamma does not fit": (
            (np.ones((2, 3)), np.ones(2), np.ones(3)),
            InvalidType,
            ["layer_normalization: gamma", "(3,)", "(2,)"],
        ),
        "a vector": ((np.ones(3), np.ones(3), np.ones(3)), InvalidType, ["layer_normalization: x", "2 axes"]),
        "no units": ((np.ones((2, 0)), np.ones(0), np.ones(0)), InvalidType, ["layer_normalization: x", "units"]),
    }
    tolerances = {"float16": 1e-2, "float32": 5e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        units = self.shape[-1]
        return tuple(rng.normal(1, 2, size=s).astype(dtype) for s in (self.shape, units, units))

    def call(self, x, gamma, beta):
        return layer_normalization(x, gamma, beta, eps=1e-2)

    def reference(self, x, gamma, beta):
        return gamma * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-2) + beta

    def empty_inputs(self, dtype):
        return np.ones((0, 3), dtype), np.ones(3, dtype), np.ones(3, dtype)


@pytest.mark.torch
def test_agrees_with_pytorch():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(4, 6)), rng.normal(size=6), rng.normal(size=6)]
    variables = [Variable(a) for a in arrays]
    tensors = [torch.tensor(a, requires_grad=True) for a in arrays]
    y = layer_normalization(*variables)
    expected = torch.nn.functional.layer_norm(tensors[0], (6,), *tensors[1:], eps=1e-5)
    np.testing.assert_allclose(y.array, expected.detach().numpy())
    gy = rng.normal(size=(4, 6))
    y.grad = gy
    y.backward()
    expected.backward(torch.tensor(gy))
    for v, t in zip(variables, tensors, strict=True):
        np.testing.assert_allclose(v.grad, t.grad.numpy(), atol=1e-12)
