import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions import resize_images
from renga_testing.function_suite import FunctionSuite


def interpolated(x, out, place):
    """Each pixel of the result in a loop; `place` says where it lies, along an axis of some size."""
    y = np.zeros((*x.shape[:2], *out))
    for i, j in np.ndindex(*out):
        for axis, k in ((2, i), (3, j)):
            assert 0 <= place(k, x.shape[axis], out[axis - 2]) <= x.shape[axis] - 1
        v, u = place(i, x.shape[2], out[0]), place(j, x.shape[3], out[1])
        for row in range(x.shape[2]):
            for column in range(x.shape[3]):
                weight = max(0, 1 - abs(row - v)) * max(0, 1 - abs(column - u))
                y[:, :, i, j] += weight * x[:, :, row, column]
    return y


def corners(k, size, out):
    return k * (size - 1) / (out - 1) if out > 1 else 0


def squares(k, size, out):
    return min(max((k + 0.5) * size / out - 0.5, 0), size - 1)


def nearest(k, size, out):
    return k * size // out


class TestResizeImages(FunctionSuite):
    cases = {
        "larger": {"out": (5, 7), "options": {}, "place": staticmethod(corners)},
        "smaller": {"out": (2, 1), "options": {}, "place": staticmethod(corners)},
        "squares, larger": {"out": (5, 9), "options": {"align_corners": False}, "place": staticmethod(squares)},
        "squares, smaller": {"out": (1, 3), "options": {"align_corners": False}, "place": staticmethod(squares)},
        "nearest, larger": {"out": (5, 7), "options": {"mode": "nearest"}, "place": staticmethod(nearest)},
        "nearest, smaller": {"out": (2, 3), "options": {"mode": "nearest"}, "place": staticmethod(nearest)},
        "the same size": {"out": (3, 4), "options": {}, "place": staticmethod(corners)},
    }
    bad_inputs = {
        "three axes": ((np.zeros((2, 3, 4)),), InvalidType, ["resize_images: x", "(N, C, H, W)", "(2, 3, 4)"]),
        "integers": ((np.zeros((2, 3, 4, 4), int),), InvalidType, ["resize_images: x", "floating"]),
        "no pixels": ((np.zeros((2, 3, 0, 4)),), InvalidType, ["resize_images: x", "(2, 3, 0, 4)"]),
    }

    def make_inputs(self, rng, dtype):
        return (rng.uniform(-1, 1, (2, 2, 3, 4)).astype(dtype),)

    def call(self, x):
        return resize_images(x, self.out, **self.options)

    def reference(self, x):
        return interpolated(x, self.out, self.place.__func__)

    def empty_inputs(self, dtype):
        return (np.ones((0, 2, 3, 4), dtype),)


def test_unknown_mode():
    with pytest.raises(ValueError, match="resize_images: mode is 'cubic'; choose from 'bilinear', 'nearest'"):
        resize_images(np.zeros((1, 1, 2, 2)), (3, 3), mode="cubic")


@pytest.mark.torch
@pytest.mark.parametrize("out", [(9, 4), (3, 11), (1, 1), (20, 21)])
@pytest.mark.parametrize("options", [{"align_corners": True}, {"align_corners": False}, {"mode": "nearest"}])
def test_pytorch_agrees(out, options):
    torch = pytest.importorskip("torch")
    v = Variable(x := np.random.default_rng(0).normal(size=(2, 3, 6, 7)))
    t = torch.tensor(x, requires_grad=True)
    y = resize_images(v, out, **options)
    expected = torch.nn.functional.interpolate(t, out, **{"mode": "bilinear"} | options)
    np.testing.assert_allclose(y.array, expected.detach().numpy(), atol=1e-12)
    (y * y).sum().backward()
    (expected * expected).sum().backward()
    np.testing.assert_allclose(v.grad, t.grad.numpy(), atol=1e-12)
