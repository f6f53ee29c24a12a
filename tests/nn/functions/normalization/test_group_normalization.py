import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions.normalization import group_normalization
from renga_testing.function_suite import FunctionSuite


class TestGroupNormalization(FunctionSuite):
    cases = {
        "images": {"shape": (2, 4, 3, 2), "groups": 2},
        "instance normalization": {"shape": (2, 3, 5), "groups": 3},
        "one group, vectors": {"shape": (3, 4), "groups": 1},
    }
    bad_inputs = {
        "gamma does not fit": (
            (np.ones((2, 4, 3)), np.ones(3), np.ones(4)),
            InvalidType,
            ["group_normalization: gamma", "(4,)", "(3,)"],
        ),
        "beta of integers": (
            (np.ones((2, 4, 3)), np.ones(4), np.ones(4, int)),
            InvalidType,
            ["group_normalization: beta", "floating"],
        ),
        "a vector": ((np.ones(4), np.ones(4), np.ones(4)), InvalidType, ["group_normalization: x", "2 axes"]),
        "no pixels": (
            (np.ones((2, 4, 0)), np.ones(4), np.ones(4)),
            InvalidType,
            ["group_normalization: x", "(2, 4, 0)"],
        ),
        "a list": (([[1.0, 2.0]], np.ones(2), np.ones(2)), InvalidType, ["group_normalization: x", "array"]),
        "channels": ((np.ones((2, 3)), np.ones(3), np.ones(3)), ValueError, ["groups=2 does not divide", "(2, 3)"]),
    }
    tolerances = {"float16": 1e-2, "float32": 5e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        sizes = self.shape, self.shape[1], self.shape[1]
        return tuple(rng.normal(1, 2, size=s).astype(dtype) for s in sizes)

    def call(self, x, gamma, beta):
        return group_normalization(x, self.groups, gamma, beta, eps=1e-2)

    def reference(self, x, gamma, beta):
        y = np.empty_like(x)
        size = x.shape[1] // self.groups
        for n, g in np.ndindex(x.shape[0], self.groups):
            group = x[n, g * size : (g + 1) * size]
            y[n, g * size : (g + 1) * size] = (group - group.mean()) / np.sqrt(group.var() + 1e-2)
        last = (-1, *(1,) * (x.ndim - 2))
        return y * gamma.reshape(last) + beta.reshape(last)

    def empty_inputs(self, dtype):
        return np.ones((0, *self.shape[1:]), dtype), np.ones(self.shape[1], dtype), np.ones(self.shape[1], dtype)


@pytest.mark.torch
@pytest.mark.parametrize("groups", [1, 2, 6])
def test_agrees_with_pytorch(groups):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(4, 6, 3, 2)), rng.normal(size=6), rng.normal(size=6)]
    variables = [Variable(a) for a in arrays]
    tensors = [torch.tensor(a, requires_grad=True) for a in arrays]
    y = group_normalization(variables[0], groups, *variables[1:])
    expected = torch.nn.functional.group_norm(tensors[0], groups, *tensors[1:], eps=1e-5)
    np.testing.assert_allclose(y.array, expected.detach().numpy(), atol=1e-12)
    gy = rng.normal(size=y.shape)
    y.grad = gy
    y.backward()
    expected.backward(torch.tensor(gy))
    for v, t in zip(variables, tensors, strict=True):
        np.testing.assert_allclose(v.grad, t.grad.numpy(), atol=1e-11)
