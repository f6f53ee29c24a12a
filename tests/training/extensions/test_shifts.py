import pytest

from renga_training.extensions import (
    ExponentialShift,
    InverseShift,
    LinearShift,
    MultistepShift,
    PolynomialShift,
    StepShift,
    WarmupShift,
)


def values(shift, trainer, count, initialize=True):
    if initialize:
        shift.initialize(trainer)
    found = [trainer.optimizer.lr]
    for _ in range(count):
        shift(trainer)
        found.append(trainer.optimizer.lr)
    return found


CASES = [
    (lambda: ExponentialShift("lr", 0.5), [1, 0.5, 0.25, 0.125]),
    (lambda: ExponentialShift("lr", 0.5, init=8, target=3), [8, 4, 3, 3]),
    (lambda: ExponentialShift("lr", 2, target=3), [1, 2, 3, 3]),
    (lambda: StepShift("lr", 0.1, 2, init=10), [10, 10, pytest.approx(1), pytest.approx(1)]),
    (lambda: StepShift("lr", 0.1, 1, init=10, target=0.5), [10, pytest.approx(1), 0.5, 0.5]),
    (lambda: LinearShift("lr", (4, 2), (1, 3)), [4, 4, 3, 2, 2]),
    (lambda: MultistepShift("lr", 0.5, (1, 3), 8), [8, 4, 4, 2, 2]),
    (lambda: MultistepShift("lr", 0.5, (3, 2), None), [1, 1, 0.5, 0.25]),
    (lambda: InverseShift("lr", 1, 2, init=36), [36, 9, 4, 2.25]),
    (lambda: InverseShift("lr", 1, 2, init=36, target=3), [36, 9, 4, 3, 3]),
    (lambda: PolynomialShift("lr", 2, 4, init=16), [16, 9, 4, 1, 0, 0]),
    (lambda: PolynomialShift("lr", 1, 4, init=-8, target=-3), [-8, -6, -4, -3, -3]),
    (lambda: WarmupShift("lr", 2, 4, 10), [2, 4, 6, 8, 10, 10]),
    (lambda: WarmupShift("lr", None, 2, 0), [1, 0.5, 0, 0]),
]


@pytest.mark.parametrize(("make", "expected"), CASES)
def test_values(trainer, make, expected):
    assert values(make(), trainer, len(expected) - 1) == expected


@pytest.mark.parametrize(("make", "expected"), CASES)
def test_resumed_with_an_optimizer_made_anew(trainer, reload, make, expected):
    first, second = make(), make()
    values(first, trainer, 1)
    reload(first, second)
    trainer.optimizer.lr = 1.0
    assert values(second, trainer, len(expected) - 2) == expected[1:]


def test_warmup_leaves_alone_what_comes_after(trainer, reload):
    """Two shifts on one attribute; and a resumed run has its value, whichever of them set it last."""
    warmup, steps = WarmupShift("lr", 0, 2, 8), StepShift("lr", 0.5, 1, init=8)
    steps.initialize(trainer)
    assert values(warmup, trainer, 2) == [0, 4, 8]
    steps(trainer)
    assert values(warmup, trainer, 2, initialize=False) == [4, 4, 4]


@pytest.mark.parametrize("order", [1, -1])
def test_resumed_in_the_middle_of_warming_up(trainer, reload, order):
    def make():
        return [WarmupShift("lr", 0, 4, 8), StepShift("lr", 0.5, 1, init=8)]

    shifts, again = make(), make()
    for shift in shifts:
        shift.initialize(trainer)
    shifts[0](trainer)
    assert trainer.optimizer.lr == 2
    for shift, other in zip(shifts, again, strict=True):
        reload(shift, other)
    trainer.optimizer.lr = 1.0
    for other in again[::order]:
        other.initialize(trainer)
    assert trainer.optimizer.lr == 2


def test_another_optimizer(trainer):
    from types import SimpleNamespace

    other = SimpleNamespace(alpha=4.0)
    shift = ExponentialShift("alpha", 0.5, optimizer=other)
    shift.initialize(trainer)
    shift(trainer)
    assert (other.alpha, trainer.optimizer.lr) == (2.0, 1.0)


def test_mistakes(trainer):
    with pytest.raises(ValueError, match="-1"):
        ExponentialShift("lr", -1)
    with pytest.raises(ValueError, match="gamma of InverseShift must not be negative"):
        InverseShift("lr", -1, 1)
    with pytest.raises(ValueError, match="max_count of PolynomialShift must be a positive number of calls, not 0"):
        PolynomialShift("lr", 1, 0)
    with pytest.raises(ValueError, match="rate of PolynomialShift"):
        PolynomialShift("lr", -1, 1)
    with pytest.raises(ValueError, match="warmup_iter of WarmupShift"):
        WarmupShift("lr", 0, 0, 1)
    with pytest.raises(AttributeError, match=r"^ExponentialShift: SimpleNamespace has no 'lrr'\. Did you mean 'lr'\?$"):
        ExponentialShift("lrr", 0.5).initialize(trainer)
    with pytest.raises(RuntimeError, match="before training started"):
        ExponentialShift("lr", 0.5)(trainer)
