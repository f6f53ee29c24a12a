import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions import spatial_transformer_grid, spatial_transformer_sampler
from renga_testing.function_suite import FunctionSuite


class TestSpatialTransformerGrid(FunctionSuite):
    cases = {"an image": {"out": (3, 4)}, "one row": {"out": (1, 5)}}
    bad_inputs = {
        "a matrix": ((np.zeros((2, 3)),), InvalidType, ["spatial_transformer_grid: theta", "(N, 2, 3)", "(2, 3)"]),
        "integers": ((np.zeros((1, 2, 3), int),), InvalidType, ["theta", "floating", "int64"]),
    }

    def make_inputs(self, rng, dtype):
        return (rng.uniform(-1, 1, (2, 2, 3)).astype(dtype),)

    def call(self, theta):
        return spatial_transformer_grid(theta, self.out)

    def reference(self, theta):
        height, width = self.out
        y = np.zeros((len(theta), 2, height, width))
        for i, j in np.ndindex(*self.out):
            v = -1 if height == 1 else 2 * i / (height - 1) - 1
            y[:, :, i, j] = theta @ [2 * j / (width - 1) - 1, v, 1]
        return y

    def empty_inputs(self, dtype):
        return (np.ones((0, 2, 3), dtype),)


class TestSpatialTransformerSampler(FunctionSuite):
    cases = {"inside": {"size": (4, 5), "reach": 0.9}, "beyond the border": {"size": (3, 4), "reach": 2.5}}
    bad_inputs = {
        "three axes": (
            (np.zeros((2, 3, 4)), np.zeros((2, 2, 3, 3))),
            InvalidType,
            ["spatial_transformer_sampler: x", "(N, C, H, W)", "(2, 3, 4)"],
        ),
        "another batch": (
            (np.zeros((2, 3, 4, 4)), np.zeros((1, 2, 3, 3))),
            InvalidType,
            ["spatial_transformer_sampler: grid", "(2, 2, H', W')", "(1, 2, 3, 3)"],
        ),
        "another dtype": (
            (np.zeros((2, 3, 4, 4)), np.zeros((2, 2, 3, 3), "float32")),
            InvalidType,
            ["spatial_transformer_sampler: grid", "float64", "float32"],
        ),
    }

    def make_inputs(self, rng, dtype):
        # Points lie at thirds of the way from pixel to pixel or so, far from those where the gradient jumps.
        height, width = self.size
        low, high = [-int(self.reach * n / 3) for n in (width, height)], [int(self.reach * n) for n in (width, height)]
        pixels = np.stack([rng.integers(a, b, (2, 3, 2)) for a, b in zip(low, high, strict=True)], axis=1)
        places = pixels + rng.uniform(0.25, 0.75, pixels.shape)
        grid = 2 * places / np.array([width - 1, height - 1]).reshape(2, 1, 1) - 1
        return rng.uniform(-1, 1, (2, 3, *self.size)).astype(dtype), grid.astype(dtype)

    tolerances = {**FunctionSuite.tolerances, "float16": 2e-2}

    def call(self, x, grid):
        return spatial_transformer_sampler(x, grid)

    def reference(self, x, grid):
        height, width = x.shape[2:]
        y = np.zeros((*x.shape[:2], *grid.shape[2:]))
        for n, i, j in np.ndindex(grid.shape[0], *grid.shape[2:]):
            u, v = (grid[n, :, i, j] + 1) / 2 * [width - 1, height - 1]
            for row, column in np.ndindex(height, width):
                y[n, :, i, j] += max(0, 1 - abs(row - v)) * max(0, 1 - abs(column - u)) * x[n, :, row, column]
        return y

    def empty_inputs(self, dtype):
        return np.ones((2, 3, 4, 5), dtype), np.ones((2, 2, 0, 3), dtype)


def test_the_identity_gives_the_image():
    x = np.random.default_rng(0).normal(size=(1, 2, 4, 5))
    theta = np.array([[[1.0, 0, 0], [0, 1, 0]]])
    y = spatial_transformer_sampler(x, spatial_transformer_grid(theta, (4, 5)))
    np.testing.assert_allclose(y.array, x, atol=1e-12)


@pytest.mark.torch
def test_pytorch_agrees():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    x, theta = rng.normal(size=(2, 3, 6, 7)), rng.normal(size=(2, 2, 3))
    v, w = Variable(x), Variable(theta)
    y = spatial_transformer_sampler(v, spatial_transformer_grid(w, (5, 4)))
    t, u = torch.tensor(x, requires_grad=True), torch.tensor(theta, requires_grad=True)
    grid = torch.nn.functional.affine_grid(u, (2, 3, 5, 4), align_corners=True)
    expected = torch.nn.functional.grid_sample(t, grid, align_corners=True)
    np.testing.assert_allclose(y.array, expected.detach().numpy(), atol=1e-12)
    (y * y).sum().backward()
    (expected * expected).sum().backward()
    np.testing.assert_allclose(v.grad, t.grad.numpy(), atol=1e-12)
    np.testing.assert_allclose(w.grad, u.grad.numpy(), atol=1e-12)
