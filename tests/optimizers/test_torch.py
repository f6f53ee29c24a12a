"""The same steps as PyTorch takes, where the definitions agree."""

import numpy as np
import pytest

import renga_optimizers as ours

torch = pytest.importorskip("torch")
theirs = torch.optim
pytestmark = pytest.mark.torch

LR, DECAY = 0.05, 0.01
# Where eps stands differs in Adam; with none to speak of, it does not matter.
NONE = 1e-30
CASES = {
    "sgd": (lambda: ours.SGD(LR), lambda p: theirs.SGD(p, LR)),
    "momentum": (lambda: ours.MomentumSGD(LR, 0.8), lambda p: theirs.SGD(p, LR, momentum=0.8)),
    "corrected": (lambda: ours.CorrectedMomentumSGD(LR, 0.8), lambda p: theirs.SGD(p, LR, momentum=0.8)),
    "nesterov": (lambda: ours.NesterovAG(LR, 0.8), lambda p: theirs.SGD(p, LR, momentum=0.8, nesterov=True)),
    "adagrad": (lambda: ours.AdaGrad(LR, 1e-3), lambda p: theirs.Adagrad(p, LR, eps=1e-3)),
    "adadelta": (lambda: ours.AdaDelta(0.8, 1e-3), lambda p: theirs.Adadelta(p, 1.0, rho=0.8, eps=1e-3)),
    "rmsprop": (lambda: ours.RMSprop(LR, 0.8, 1e-3), lambda p: theirs.RMSprop(p, LR, alpha=0.8, eps=1e-3)),
    "adam": (lambda: ours.Adam(LR, 0.8, 0.9, NONE), lambda p: theirs.Adam(p, LR, (0.8, 0.9), NONE)),
    "amsgrad": (lambda: ours.AMSGrad(LR, 0.8, 0.9, NONE), lambda p: theirs.Adam(p, LR, (0.8, 0.9), NONE, amsgrad=True)),
    "adamw": (
        lambda: ours.AdamW(LR, 0.8, 0.9, NONE, weight_decay_rate=LR * DECAY),
        lambda p: theirs.AdamW(p, LR, (0.8, 0.9), NONE, weight_decay=DECAY),
    ),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", CASES)
def test_takes_the_same_steps(name, dtype, train):
    make, make_theirs = CASES[name]
    rng = np.random.default_rng(0)
    start = rng.normal(size=(3, 4)).astype(dtype)
    grads = rng.normal(size=(20, 3, 4)).astype(dtype)
    array = train(make(), start, dtype)(grads)

    parameter = torch.nn.Parameter(torch.tensor(start))
    optimizer = make_theirs([parameter])
    for grad in grads:
        parameter.grad = torch.tensor(grad)
        optimizer.step()
    np.testing.assert_allclose(array, parameter.detach().numpy(), rtol=0, atol={4: 1e-5, 8: 1e-12}[start.itemsize])
