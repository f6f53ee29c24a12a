"""Updates of whole optimizers, against the formulas in float64."""

import numpy as np
import pytest
from optimizer_formulas import adam, corrected_momentum_sgd, momentum_sgd, nesterov_ag, rmsprop, sgd

from renga_core.graph import Parameter
from renga_core.link import Link
from renga_core.settings import using
from renga_optimizers import SGD, AdamW, CorrectedMomentumSGD, MomentumSGD, NesterovAG, RMSprop

SHAPES = (), (3,), (33, 1000), (4, 5, 6, 7)


CASES = {
    "sgd": (lambda: SGD(0.05), sgd),
    "momentum_sgd": (lambda: MomentumSGD(0.05, 0.8), momentum_sgd),
    "corrected_momentum_sgd": (lambda: CorrectedMomentumSGD(0.05, 0.8), corrected_momentum_sgd),
    "nesterov_ag": (lambda: NesterovAG(0.05, 0.8), nesterov_ag),
    "rmsprop": (lambda: RMSprop(0.05, 0.9), rmsprop),
    "adam": (lambda: AdamW(0.01, weight_decay_rate=0.1), lambda w, grads: adam(w, grads, 0.9)),
}


@pytest.mark.parametrize("name", CASES)
def test_twenty_updates_of_small_and_large_parameters(name):
    make, formula = CASES[name]
    rng = np.random.default_rng(0)
    link = Link()
    start = [rng.standard_normal(shape).astype(np.float32) for shape in SHAPES]
    start[3] = np.ascontiguousarray(start[3].transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)  # channels last
    with link.init_scope():
        link.w0, link.w1, link.w2, link.w3 = (Parameter(w.copy("K")) for w in start)
    params = list(link.params())
    optimizer = make().setup(link)
    grads = [[rng.standard_normal(p.shape).astype(np.float32) for p in params] for _ in range(20)]
    with using({f"kernels.{name}_update": "numba"}):
        for row in grads:
            for param, grad in zip(params, row, strict=True):
                param.grad = np.empty_like(param.array)
                param.grad[...] = grad
            optimizer.update()
    for place, param in enumerate(params):
        right = formula(start[place].astype(np.float64), [row[place].astype(np.float64) for row in grads])
        np.testing.assert_allclose(param.array, right, rtol=2e-5, atol=2e-5)


def test_large_arrays_are_moved_into_huge_pages_until_they_are_done(monkeypatch):
    from renga_kernels_numba import rows
    from renga_kernels_numba.optimizer_updates import SGDUpdate

    class HugePages(list):
        def move(self, blocks):
            self.append(blocks)
            return len(self) == 2

    moved = HugePages()
    monkeypatch.setattr(rows, "_huge_pages", moved)
    monkeypatch.setattr(rows, "_settled", set())
    params, grads = [np.zeros(1 << 20, "f"), np.zeros(1 << 20, "f")], [np.ones(1 << 20, "f")] * 2
    for _ in range(4):
        SGDUpdate.forward(params[:1], grads[:1], 0.25)  # 8 MiB
        SGDUpdate.forward(params, grads, 0.25)
    assert moved == [[(each.ctypes.data, each.nbytes) for each in (*params, *grads)]] * 2
    np.testing.assert_array_equal(params[0], -2.0)


@pytest.mark.parametrize("grad", [np.ones((3, 4), "f").T, np.ones((4, 3)), np.ones((8, 3), "f")[::2]])
def test_arrays_that_do_not_lie_alike_are_left_to_others(grad):
    from renga_kernels_numba.optimizer_updates import supports_sgd

    param = np.ones((4, 3), "f")
    assert supports_sgd(param, param, 0.1)
    assert supports_sgd(param.T, param.T, 0.1)
    assert not supports_sgd(param, grad, 0.1)
    assert not supports_sgd(grad[:, ::2], grad[:, ::2], 0.1)
