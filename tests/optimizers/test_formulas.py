"""Each optimizer against its paper, in float64, where possible as a closed sum over all gradients so far.

The references know nothing of the way the optimizers compute: no state, no recursion where the paper has a sum.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import renga_optimizers as optimizers


def discounted(values, decay):
    """Σ decay^(t−i) · values[i], with t the last index."""
    t = len(values) - 1
    return sum(decay ** (t - i) * value for i, value in enumerate(values))


def prefixes(grads):
    return [grads[: t + 1] for t in range(len(grads))]


def sgd(w, grads, lr):
    return w - lr * sum(grads)


def momentum_sgd(w, grads, lr, momentum):
    return w - lr * sum(discounted(g, momentum) for g in prefixes(grads))


def nesterov_ag(w, grads, lr, momentum):
    """The paper's two points: the iterate x, and the point ahead of it where the gradient is taken."""
    x, v = w, 0
    for g in grads:
        v = momentum * v - lr * g
        x = x + v
    return x + momentum * v


def ada_grad(w, grads, lr, eps):
    return w - sum(lr * g[-1] / (np.sqrt(sum(x**2 for x in g)) + eps) for g in prefixes(grads))


def ada_delta(w, grads, rho, eps):
    squares, deltas = [], []
    for g in grads:
        squares.append(g**2)
        mean_step = (1 - rho) * discounted([d**2 for d in deltas], rho)
        mean_grad = (1 - rho) * discounted(squares, rho)
        deltas.append(np.sqrt(mean_step + eps) / np.sqrt(mean_grad + eps) * g)
    return w - sum(deltas)


def rmsprop(w, grads, lr, alpha, eps, eps_inside_sqrt):
    for g in prefixes(grads):
        mean = (1 - alpha) * discounted([x**2 for x in g], alpha)
        w = w - lr * g[-1] / (np.sqrt(mean + eps) if eps_inside_sqrt else np.sqrt(mean) + eps)
    return w


def rmsprop_graves(w, grads, lr, alpha, momentum, eps):
    steps = []
    for g in prefixes(grads):
        mean = (1 - alpha) * discounted(g, alpha)
        square = (1 - alpha) * discounted([x**2 for x in g], alpha)
        steps.append(lr * g[-1] / np.sqrt(square - mean**2 + eps))
        w = w - discounted(steps, momentum)
    return w


def smorms3(w, grads, lr, eps):
    mem, mean, square = np.ones_like(w), np.zeros_like(w), np.zeros_like(w)
    for g in grads:
        mean = (mem * mean + g) / (mem + 1)
        square = (mem * square + g**2) / (mem + 1)
        x = mean**2 / (square + eps)
        w = w - g * np.where(x < lr, x, lr) / (np.sqrt(square) + eps)
        mem = 1 + mem - mem * x
    return w


def adam(w, grads, alpha, beta1, beta2, eps, eta=1.0, weight_decay_rate=0.0, amsgrad=False, bounds=None):
    """Algorithm 1 of Kingma and Ba with corrected moments m̂ and v̂, for which eps is the optimizer's / √(1−beta2ᵗ)."""
    largest = np.zeros_like(w)
    for t, g in enumerate(prefixes(grads), 1):
        m_hat = (1 - beta1) * discounted(g, beta1) / (1 - beta1**t)
        v = (1 - beta2) * discounted([x**2 for x in g], beta2)
        largest = np.maximum(largest, v) if amsgrad else v
        correction = 1 - beta2**t
        rate = alpha / (np.sqrt(largest / correction) + eps / np.sqrt(correction))
        if bounds:
            final_lr, gamma = bounds
            # Here the clipped rate is multiplied by m, and not by m̂.
            low, high = final_lr * (1 - 1 / (gamma * t + 1)), final_lr * (1 + 1 / (gamma * t))
            step = np.minimum(np.maximum(rate / (1 - beta1**t), low), high) * m_hat * (1 - beta1**t)
        else:
            step = rate * m_hat
        w = w - eta * (step + weight_decay_rate * w)
    return w


def msvag(w, grads, lr, beta, eta, weight_decay_rate):
    """The weighted mean and the weighted, unbiased variance of the gradients: ρ is the sum of squared weights."""
    for g in prefixes(grads):
        weights = [beta ** (len(g) - 1 - i) for i in range(len(g))]
        weights = [x / sum(weights) for x in weights]
        mean = sum(x * y for x, y in zip(weights, g, strict=True))
        rho = sum(x**2 for x in weights)
        spread = sum(x * (y - mean) ** 2 for x, y in zip(weights, g, strict=True))
        variance = spread / (1 - rho) if len(g) > 1 else 0 * spread
        total = mean**2 + rho * variance
        factor = np.where(total == 0, 0, mean**2 / np.where(total == 0, 1, total))
        w = w - eta * (lr * factor * mean + weight_decay_rate * w)
    return w


def numbers(low, high):
    return st.floats(low, high, allow_subnormal=False)


LR, DECAY, EPS = numbers(1e-3, 0.5), numbers(0.1, 0.95), numbers(1e-3, 0.1)
MOMENTUM = {"lr": LR, "momentum": DECAY}
ADAM = {"alpha": LR, "beta1": DECAY, "beta2": numbers(0.5, 0.99), "eps": EPS, "eta": numbers(0.1, 1)}
BOUNDS = {"final_lr": numbers(0.01, 0.2), "gamma": numbers(0.01, 0.5)}


def bounded(amsgrad):
    def reference(w, grads, final_lr, gamma, **rest):
        return adam(w, grads, amsgrad=amsgrad, bounds=(final_lr, gamma), **rest)

    return reference


CASES = {
    "SGD": (sgd, {"lr": LR}),
    "MomentumSGD": (momentum_sgd, MOMENTUM),
    "CorrectedMomentumSGD": (momentum_sgd, MOMENTUM),
    "NesterovAG": (nesterov_ag, MOMENTUM),
    "AdaGrad": (ada_grad, {"lr": LR, "eps": EPS}),
    "AdaDelta": (ada_delta, {"rho": DECAY, "eps": EPS}),
    "RMSprop": (rmsprop, {"lr": LR, "alpha": DECAY, "eps": EPS, "eps_inside_sqrt": st.booleans()}),
    "RMSpropGraves": (rmsprop_graves, {"lr": LR, "alpha": DECAY, "momentum": DECAY, "eps": EPS}),
    "SMORMS3": (smorms3, {"lr": LR, "eps": EPS}),
    "Adam": (adam, {**ADAM, "weight_decay_rate": numbers(0, 0.1), "amsgrad": st.booleans()}),
    "AdamW": (adam, {**ADAM, "weight_decay_rate": numbers(0, 0.1)}),
    "AMSGrad": (lambda w, grads, **rest: adam(w, grads, amsgrad=True, **rest), ADAM),
    "AdaBound": (bounded(False), {**ADAM, **BOUNDS}),
    "AMSBound": (bounded(True), {**ADAM, **BOUNDS}),
    "MSVAG": (msvag, {"lr": LR, "beta": DECAY, "eta": numbers(0.1, 1), "weight_decay_rate": numbers(0, 0.1)}),
}
# Gradients that all dtypes hold exactly; 0 among them.
GRADS = st.sampled_from([(), (3,), (2, 2), (0,)]).flatmap(
    lambda shape: st.lists(arrays(np.float64, shape, elements=st.integers(-16, 16).map(lambda n: n / 8)), max_size=5)
)
TOLERANCE = {np.float64: 1e-10, np.float32: 2e-4, np.float16: 0.1}  # relative and absolute


def test_every_optimizer_has_a_reference():
    assert sorted(CASES) == sorted(optimizers.__all__)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", CASES)
def test_agrees_with_its_paper(name, dtype, train, request):
    if dtype is np.float16:
        request.getfixturevalue("needs_half")
    reference, strategies = CASES[name]

    @settings(max_examples=25)
    @given(GRADS, st.fixed_dictionaries(strategies))
    def check(grads, hyper):
        shape = grads[0].shape if grads else (2,)
        start = np.linspace(-1, 1, int(np.prod(shape))).reshape(shape)
        training = train(getattr(optimizers, name)(**hyper), start, dtype)
        array = training.param.array
        result = training(grads)
        assert training.param.array is array
        assert array.dtype == dtype
        assert all(value.dtype == dtype for value in training.param.update_rule.state.values())
        tolerance = TOLERANCE[dtype]
        np.testing.assert_allclose(result, reference(start, grads, **hyper), rtol=tolerance, atol=tolerance)

    check()


def test_corrected_momentum_applies_a_new_learning_rate_to_old_gradients(train):
    training = train(optimizers.CorrectedMomentumSGD(lr=1.0, momentum=0.5), [0.0])
    training([[1.0]])
    training.optimizer.lr = 0.1
    np.testing.assert_allclose(training([[1.0]]), [-1 - 0.1 * 1.5])


def test_bounds_follow_a_schedule_of_alpha(train):
    training = train(optimizers.AdaBound(alpha=0.1, final_lr=0.2, gamma=1.0), [0.0])
    training([[1.0]])
    assert training.param.update_rule.bounds == pytest.approx((0.1, 0.4))
    training.optimizer.alpha = 0.05
    assert training.param.update_rule.bounds == pytest.approx((0.05, 0.2))


def test_lr_is_another_name_of_alpha():
    optimizer = optimizers.AdamW(alpha=0.1)
    optimizer.lr = 0.2
    assert optimizer.alpha == 0.2


@pytest.mark.parametrize("name", CASES)
def test_numpy_scalars_as_hyperparameters_do_not_widen(name, train):
    optimizer = getattr(optimizers, name)()
    for key, value in optimizer.hyperparam.get_dict().items():
        setattr(optimizer.hyperparam, key, np.float64(value))
    array = train(optimizer, [1.0, 2.0], np.float32)([[1.0, -1.0]] * 2)
    plain = train(getattr(optimizers, name)(), [1.0, 2.0], np.float32)([[1.0, -1.0]] * 2)
    np.testing.assert_array_equal(array, plain)
