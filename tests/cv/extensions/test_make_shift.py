from types import SimpleNamespace

import pytest

from renga_cv.extensions.make_shift import make_shift


def trainer(lr=0.5):
    optimizer = SimpleNamespace(lr=lr)
    updater = SimpleNamespace(iteration=0, get_optimizer=lambda name: optimizer)
    return SimpleNamespace(updater=updater, optimizer=optimizer)


@make_shift("lr")
def halving(trainer):
    return 0.5**trainer.updater.iteration


def test_the_function_gives_the_value_from_the_start():
    run = trainer()
    halving.initialize(run)
    found = [run.optimizer.lr]
    for run.updater.iteration in (1, 2):
        halving(run)
        found.append(run.optimizer.lr)
    assert found == [1, 0.5, 0.25]
    assert (halving.trigger, halving.default_name) == ((1, "iteration"), "halving")


def test_another_optimizer():
    run, other = trainer(), SimpleNamespace(lr=1)
    shift = make_shift("lr", other)(lambda trainer: 7)
    shift.initialize(run)
    assert (run.optimizer.lr, other.lr) == (0.5, 7)


def test_no_such_attribute():
    run = trainer()
    with pytest.raises(AttributeError, match=r"SimpleNamespace has no 'ir'"):
        make_shift("ir")(lambda trainer: 1).initialize(run)
    assert vars(run.optimizer) == {"lr": 0.5}
