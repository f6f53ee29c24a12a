"""zoneout."""

import numpy as np
import pytest

from renga_core import random
from renga_core.backend import get_device, to_host
from renga_core.configuration import using_config
from renga_core.graph import InvalidType, Variable
from renga_nn.functions import zoneout
from renga_testing.function_suite import FunctionSuite, ready_backends


def every_third(shape):
    return (np.arange(np.prod(shape)) % 3 == 0).reshape(shape)


class TestZoneout(FunctionSuite):
    cases = {"train": {"train": True}, "test": {"train": False}}
    bad_inputs = {
        "shapes": ((np.zeros(2), np.zeros(3)), InvalidType, ("zoneout", "x", "(2,)", "(3,)")),
        "dtypes": ((np.zeros(2), np.zeros(2, "f")), InvalidType, ("zoneout", "x", "float64", "float32")),
        "integers": ((np.zeros(2, int), np.zeros(2, int)), InvalidType, ("zoneout", "h", "floating")),
    }

    def make_inputs(self, rng, dtype):
        return rng.standard_normal((4, 3)).astype(dtype), rng.standard_normal((4, 3)).astype(dtype)

    def call(self, h, x):
        with using_config("train", self.train):
            return zoneout(h, x, mask=x.device.send(every_third(x.shape)))

    def reference(self, h, x):
        return np.where(every_third(x.shape), x, h) if self.train else x

    def empty_inputs(self, dtype):
        return np.zeros((0, 3), dtype), np.zeros((0, 3), dtype)


@pytest.mark.parametrize("backend", ready_backends())
@pytest.mark.parametrize("ratio", [0, 0.3, 1])
def test_ratio_is_the_part_that_stays(backend, ratio):
    random.seed(0)
    device = get_device(backend)
    y = to_host(zoneout(device.send(np.zeros(10_000)), device.send(np.ones(10_000)), ratio))
    assert abs((y == 0).mean() - ratio) < 0.02


def test_when_not_training_nothing_is_drawn():
    x = Variable(np.ones(2))
    with using_config("train", False):
        assert zoneout(np.zeros(2), x) is x


def test_arguments_that_do_not_fit():
    with pytest.raises(ValueError, match=r"zoneout: ratio is 1\.5"):
        zoneout(np.zeros(2), np.zeros(2), 1.5)
    with pytest.raises(InvalidType, match=r"zoneout: mask: expected booleans .*got float64 \(2,\)"):
        zoneout(np.zeros(2), np.zeros(2), mask=np.ones(2))
