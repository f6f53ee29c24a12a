import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.graph import InvalidType
from renga_nn.links import GroupNormalization
from renga_testing.link_suite import LinkSuite


class TestGroupNormalization(LinkSuite):
    cases = {
        "sizes given": {"arguments": (2, 4), "options": {}, "shape": (2, 4, 3)},
        "size of the first input": {"arguments": (2,), "options": {}, "shape": (2, 4, 3, 2)},
        "everything": {"arguments": (1, 4, 0.1, 2, 3), "options": {}, "shape": (3, 4)},
    }
    bad_inputs = {"channels": ((np.ones((1, 6, 5)),), InvalidType, ("group_normalization: gamma", "(6,)"))}
    tolerances = {**LinkSuite.tolerances, "float16": 1e-2}

    def make_link(self):
        return GroupNormalization(*self.arguments, **self.options)

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal(self.shape).astype(dtype),)

    def reference(self, params, x):
        groups, eps = self.arguments[0], 0.1 if len(self.arguments) > 2 else 1e-5
        rows = x.reshape(len(x), groups, int(np.prod(x.shape[1:])) // groups)
        y = (rows - rows.mean(2, keepdims=True)) / np.sqrt(rows.var(2, keepdims=True) + eps)
        last = (-1, *(1,) * (x.ndim - 2))
        return y.reshape(x.shape) * params["gamma"].reshape(last) + params["beta"].reshape(last)

    def empty_inputs(self, dtype):
        return (np.zeros((0, *self.shape[1:]), dtype),)


def test_defaults(device):
    link = GroupNormalization(2, 4, initial_gamma=np.arange(4.0))
    assert link.gamma.array.tolist() == [0, 1, 2, 3]
    assert link.beta.array.tolist() == [0, 0, 0, 0]


def test_groups_that_do_not_divide_the_channels(device):
    with pytest.raises(ValueError, match="groups=2 does not divide the channels"):
        GroupNormalization(2)(device.send(np.ones((1, 3, 2))))


def test_the_dtype_is_that_of_when_it_was_made():
    with using_config("dtype", np.float16):
        link = GroupNormalization(1)
    link(np.ones((1, 3, 2), np.float16))
    assert link.gamma.dtype == link.beta.dtype == np.float16
    with using_config("dtype", np.float32):
        link = GroupNormalization(1, initial_gamma=np.arange(3.0))
    with using_config("dtype", np.float16):
        link(np.ones((1, 3, 2), np.float32))
    assert link.gamma.dtype == np.float32
