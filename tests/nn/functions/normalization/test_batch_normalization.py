import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions.normalization import batch_normalization, fixed_batch_normalization
from renga_testing.function_suite import FunctionSuite

EPS = 1e-2

CASES = {
    "matrix": {"shape": (5, 3), "axis": None, "kept": (1,)},
    "images": {"shape": (2, 3, 4, 2), "axis": None, "kept": (1,)},
    "units that are images": {"shape": (6, 3, 2), "axis": None, "kept": (1, 2)},
    "channels last": {"shape": (2, 3, 4), "axis": (0, 1), "kept": (2,)},
    "axes from the end": {"shape": (4, 2, 3), "axis": (-3, 1), "kept": (2,)},
    "one axis": {"shape": (2, 5, 3), "axis": 1, "kept": (0, 2)},
}

BAD_INPUTS = {
    "gamma does not fit": (
        (np.ones((2, 3)), np.ones(4), np.ones(4)),
        InvalidType,
        ["batch_normalization: gamma", "the shape (3,)", "float64 (2, 3)", "float64 (4,)"],
    ),
    "beta does not fit": ((np.ones((2, 3)), np.ones(3), np.ones(2)), InvalidType, ["batch_normalization: beta"]),
    "integers": ((np.ones((2, 3), int), np.ones(3), np.ones(3)), InvalidType, ["batch_normalization: x", "floating"]),
}


class TestBatchNormalization(FunctionSuite):
    cases = CASES
    bad_inputs = {
        **BAD_INPUTS,
        "empty batch": ((np.ones((0, 3)), np.ones(3), np.ones(3)), ValueError, ["empty batch", "(0, 3)"]),
    }
    tolerances = {"float16": 1e-2, "float32": 5e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        channels = tuple(self.shape[a] for a in self.kept)
        arrays = rng.normal(1, 2, self.shape), rng.uniform(0.5, 1.5, channels), rng.normal(size=channels)
        return tuple(a.astype(dtype) for a in arrays)

    def call(self, x, gamma, beta):
        return batch_normalization(x, gamma, beta, eps=EPS, axis=getattr(self, "axis", None))

    def reference(self, x, gamma, beta):
        axes = tuple(a for a in range(x.ndim) if a not in self.kept)
        wide = tuple(np.expand_dims(p, axes) for p in (gamma, beta))
        return wide[0] * (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + EPS) + wide[1]

    def empty_inputs(self, dtype):
        """No channels; that a batch without entries is refused is among the bad inputs."""
        shape = [0 if a in self.kept else n for a, n in enumerate(self.shape)]
        return np.zeros(shape, dtype), *[np.zeros([0] * len(self.kept), dtype)] * 2


class TestFixedBatchNormalization(FunctionSuite):
    cases = CASES
    bad_inputs = {
        **{name: ((*xs, np.ones(3), np.ones(3)), *rest) for name, (xs, *rest) in BAD_INPUTS.items()},
        "mean does not fit": (
            (np.ones((2, 3)), np.ones(3), np.ones(3), np.ones(2), np.ones(3)),
            InvalidType,
            ["fixed_batch_normalization: mean", "(3,)", "(2,)"],
        ),
    }
    tolerances = {"float16": 1e-2, "float32": 1e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        channels = tuple(self.shape[a] for a in self.kept)
        parameters = [rng.uniform(0.5, 1.5, channels) for _ in range(4)]
        return tuple(a.astype(dtype) for a in (rng.normal(size=self.shape), *parameters))

    def call(self, x, gamma, beta, mean, var):
        return fixed_batch_normalization(x, gamma, beta, mean, var, EPS, getattr(self, "axis", None))

    def reference(self, x, gamma, beta, mean, var):
        axes = tuple(a for a in range(x.ndim) if a not in self.kept)
        gamma, beta, mean, var = (np.expand_dims(p, axes) for p in (gamma, beta, mean, var))
        return gamma * (x - mean) / np.sqrt(var + EPS) + beta

    def empty_inputs(self, dtype):
        channels = tuple(self.shape[a] for a in self.kept)
        shape = tuple(n if a in self.kept else 0 for a, n in enumerate(self.shape))
        return np.ones(shape, dtype), *[np.ones(channels, dtype) for _ in range(4)]


def test_running_statistics_move_towards_mean_and_unbiased_variance():
    x = np.random.default_rng(0).normal(3, 2, (5, 4, 2))
    mean, var = np.full(4, 10.0), np.full(4, 20.0)
    batch_normalization(Variable(x), np.ones(4), np.zeros(4), running_mean=mean, running_var=var, decay=0.75)
    np.testing.assert_allclose(mean, 0.75 * 10 + 0.25 * x.mean((0, 2)))
    np.testing.assert_allclose(var, 0.75 * 20 + 0.25 * x.var((0, 2), ddof=1))


@pytest.mark.parametrize("only", ["running_mean", "running_var"])
def test_one_of_both_may_be_kept(only):
    x = np.random.default_rng(0).normal(3, 2, (5, 4))
    running = np.full(4, 10.0)
    batch_normalization(x, np.ones(4), np.zeros(4), decay=0.75, **{only: running})
    np.testing.assert_allclose(running, 7.5 + 0.25 * (x.mean(0) if only == "running_mean" else x.var(0, ddof=1)))


def test_half_precision_is_normalized_by_precise_statistics():
    x = (np.random.default_rng(0).normal(size=(4096, 2)) + 30).astype(np.float16)
    y = batch_normalization(x, np.ones(2, np.float32), np.zeros(2, np.float32)).array
    assert y.dtype == np.float16
    wide = x.astype(np.float64)
    np.testing.assert_allclose(y, (wide - wide.mean(0)) / wide.std(0), atol=2e-3)


@pytest.mark.parametrize("axis", [5, (0, -2)])
def test_axes_that_do_not_exist_or_come_twice(axis):
    with pytest.raises(ValueError, match="batch_normalization: a"):
        batch_normalization(np.ones((2, 3)), np.ones(3), np.ones(3), axis=axis)


@pytest.mark.torch
def test_agrees_with_pytorch():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    for shape in [(6, 3), (4, 2, 5), (2, 4, 3, 5), (1, 2, 2, 2)]:
        arrays = [rng.normal(size=shape), rng.normal(size=shape[1]), rng.normal(size=shape[1])]
        statistics = [rng.normal(size=shape[1]), rng.uniform(size=shape[1])]
        variables, ours = [Variable(a) for a in arrays], [s.copy() for s in statistics]
        tensors, theirs = [torch.tensor(a, requires_grad=True) for a in arrays], [torch.tensor(s) for s in statistics]
        y = batch_normalization(*variables, eps=1e-3, running_mean=ours[0], running_var=ours[1], decay=0.6)
        expected = torch.nn.functional.batch_norm(
            tensors[0], *theirs, *tensors[1:], training=True, momentum=0.4, eps=1e-3
        )
        np.testing.assert_allclose(y.array, expected.detach().numpy(), atol=1e-10)
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(a, b.numpy())
        gy = rng.normal(size=shape)
        y.grad = gy
        y.backward()
        expected.backward(torch.tensor(gy))
        for v, t in zip(variables, tensors, strict=True):
            np.testing.assert_allclose(v.grad, t.grad.numpy(), atol=1e-9)
