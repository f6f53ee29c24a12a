"""What is compiled is what gains by it."""

import numpy as np
import pytest

import renga
import renga.functions as F
from renga import Parameter

pytest.importorskip("numba", reason="the compiler `fused` needs numba")


def test_sums_of_gradients_alone_stay_where_they_are():
    # As in a recurrent network: each use of a parameter adds to its gradient.
    w, b = Parameter(np.ones((600, 600), np.float32)), Parameter(np.ones(600, np.float32))

    def step(x):
        h = x
        for _ in range(4):
            h = F.linear(h, w, b)
        w.cleargrad()
        b.cleargrad()
        F.sum(h).backward()

    sources = []
    for compiler in ("replay", "fused"):
        compiled = renga.compile(step, compiler)
        for _ in range(4):
            compiled(np.ones((5, 600), np.float32))
        sources.append(compiled.source)
    assert compiled.explain() == "replayed, but not fused: no operations on its arrays would be faster"
    assert sources[0] == sources[1]


class ChannelsLast(renga.FunctionNode):
    """The same images, with their channels last in memory, as those of oneDNN's convolutions."""

    def forward(self, inputs):
        return tuple(np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2) for x in inputs)

    def backward_arrays(self, targets, gys):
        return self.forward(gys)


@pytest.mark.parametrize(("size", "said"), [(4, "fused: "), (32, "replayed, but not fused: no operations")])
def test_large_images_with_channels_last_keep_their_memory_order(size, said):
    x = np.random.default_rng(0).normal(size=(2, 16, size, size)).astype(np.float32)
    found = []
    for compiler in ("replay", "fused"):
        w = Parameter(x.copy())

        def step(x, w=w):
            (h,) = ChannelsLast().apply((w,))
            y = h
            for _ in range(4):
                y = F.relu(y + h)
            (z,) = ChannelsLast().apply((y,))
            w.cleargrad()
            F.sum(z).backward()
            return z

        compiled = renga.compile(step, compiler)
        for _ in range(4):
            z = compiled(x)
        found.append((z.array, w.grad))
    assert compiled.explain().startswith(said)
    for mine, right in zip(*found, strict=True):
        np.testing.assert_array_equal(mine, right)
