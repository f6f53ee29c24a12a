"""simplified_dropconnect."""

import numpy as np
import pytest

from renga_core import random
from renga_core.backend import get_device, to_host
from renga_core.configuration import using_config
from renga_core.graph import InvalidType
from renga_nn.functions import simplified_dropconnect
from renga_testing.function_suite import FunctionSuite, ready_backends

N, M, K = 3, 2, 4
X, W = np.zeros((N, K)), np.zeros((M, K))


class TestSimplifiedDropconnect(FunctionSuite):
    cases = {
        "each row": {"shapes": ((N, K), (M, K), (M,)), "batchwise": True, "train": True},
        "all rows": {"shapes": ((N, K), (M, K), (M,)), "batchwise": False, "train": True},
        "no bias, more axes": {"shapes": ((N, 2, 2), (M, K)), "batchwise": True, "train": True},
        "all rows, no bias, more axes": {"shapes": ((N, 2, 2), (M, K)), "batchwise": False, "train": True},
        "test": {"shapes": ((N, K), (M, K), (M,)), "batchwise": True, "train": False},
    }
    bad_inputs = {
        "features": ((X, np.zeros((M, 3))), InvalidType, ("simplified_dropconnect", "W", "(3, 4)", "(2, 3)")),
        "bias": ((X, W, np.zeros(3)), InvalidType, ("simplified_dropconnect", "b", "(2,)", "(3,)")),
        "integers": ((X.astype(int), W), InvalidType, ("simplified_dropconnect", "x", "floating")),
        "list": (([[1.0]], W), InvalidType, ("simplified_dropconnect", "x", "an array", "list")),
    }

    def make_inputs(self, rng, dtype):
        return tuple(rng.uniform(-1, 1, shape).astype(dtype) for shape in self.shapes)

    def mask(self, n):
        shape = (n, M, K) if self.batchwise else (M, K)
        return (np.arange(np.prod(shape)) % 3 > 0).reshape(shape)

    def call(self, x, W, b=None):
        mask = x.device.send(self.mask(x.shape[0])) if hasattr(x, "device") else None
        with using_config("train", self.train):
            return simplified_dropconnect(x, W, b, 0.25, mask=mask, use_batchwise_mask=self.batchwise)

    def reference(self, x, W, b=0):
        rows = x.reshape(len(x), K)
        if not self.train:
            return rows @ W.T + b
        masks = np.broadcast_to(self.mask(len(x)), (len(x), M, K))
        return np.stack([(W * m / 0.75) @ row for m, row in zip(masks, rows, strict=True)] or [W[:, 0]])[: len(x)] + b

    def empty_inputs(self, dtype):
        return tuple(np.zeros((0, *s[1:]) if i == 0 else s, dtype) for i, s in enumerate(self.shapes))


@pytest.mark.parametrize("backend", ready_backends())
@pytest.mark.parametrize("batchwise", [False, True])
def test_ratio_is_the_part_that_is_dropped(backend, batchwise):
    random.seed(0)
    device = get_device(backend)
    x, W = device.send(np.eye(50, dtype="f")), device.send(np.ones((100, 50), "f"))
    y = to_host(simplified_dropconnect(x, W, None, 0.2, use_batchwise_mask=batchwise))
    np.testing.assert_allclose(np.unique(y), [0, 1.25], rtol=1e-6)
    assert abs((y == 0).mean() - 0.2) < 0.03
    again = to_host(simplified_dropconnect(x, W, None, 0.2, use_batchwise_mask=batchwise))
    assert (again != y).any()


def test_train_is_the_argument_and_the_configuration():
    x, W = np.eye(30), np.ones((1, 30))
    assert (simplified_dropconnect(x, W).array == 0).any()
    assert (simplified_dropconnect(x, W, train=False).array == 1).all()
    with using_config("train", False):
        assert (simplified_dropconnect(x, W).array == 1).all()


def test_arguments_that_do_not_fit():
    with pytest.raises(ValueError, match="ratio is 1;"):
        simplified_dropconnect(X, W, ratio=1)
    with pytest.raises(InvalidType, match=r"mask: expected shape \(3, 2, 4\), got float64 \(2, 4\)"):
        simplified_dropconnect(X, W, mask=W)
    with pytest.raises(InvalidType, match=r"W: .* x: float64 \(4,\)"):
        simplified_dropconnect(np.zeros(4), W)
