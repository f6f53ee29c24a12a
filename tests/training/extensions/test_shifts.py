import pytest

from renga_training.extensions import ExponentialShift, LinearShift, StepShift


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
    with pytest.raises(AttributeError, match=r"^ExponentialShift: SimpleNamespace has no 'lrr'\. Did you mean 'lr'\?$"):
        ExponentialShift("lrr", 0.5).initialize(trainer)
    with pytest.raises(RuntimeError, match="before training started"):
        ExponentialShift("lr", 0.5)(trainer)
