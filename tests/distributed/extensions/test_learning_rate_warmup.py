"""Whether the learning rate is that of Goyal et al., sections 2.1 and 2.2."""

import numpy as np
import pytest

from renga_distributed.extensions import LearningRateWarmup
from renga_distributed.threads import launch
from renga_serializers.npz import DictionarySerializer, NpzDeserializer, load_npz
from renga_training.extensions import PolynomialShift, StepShift

ALONE = launch(lambda comm: comm, 1)[0]


def rates(make_trainer, tmp_path, extensions, epochs=4, prepare=lambda trainer: None):
    """The rate with which each update was made; four are an epoch."""
    trainer = make_trainer(ALONE, tmp_path, (epochs, "epoch"), lr=0.1)
    seen = []
    optimizer = trainer.updater.get_optimizer("main")
    update = optimizer.update
    optimizer.update = lambda *args: (seen.append(optimizer.lr), update(*args))
    for extension, trigger in extensions:
        trainer.extend(extension, trigger=trigger)
    prepare(trainer)
    trainer.run()
    return np.array(seen)


def warmup(epochs=2, factor=8, **options):
    return LearningRateWarmup(warmup_epochs=epochs, factor=factor, **options), None


RISING = 0.1 + np.arange(8) / 8 * 0.7  # two epochs


def test_by_a_constant_amount_to_k_times_as_much(make_trainer, tmp_path):
    np.testing.assert_allclose(rates(make_trainer, tmp_path, [warmup()]), [*RISING, *[0.8] * 8])


def test_without_warmup(make_trainer, tmp_path):
    np.testing.assert_allclose(rates(make_trainer, tmp_path, [warmup(0)]), [0.8] * 16)


def test_a_part_of_an_epoch(make_trainer, tmp_path):
    expected = 0.1 + np.minimum(np.arange(16) / 4 / 0.6, 1) * 0.7
    np.testing.assert_allclose(rates(make_trainer, tmp_path, [warmup(0.6)]), expected)


@pytest.mark.parametrize("first", [True, False])
def test_steps_begin_with_the_large_rate(make_trainer, tmp_path, first):
    extensions = [warmup(), (StepShift("lr", 0.1, 1), (3, "epoch"))]
    found = rates(make_trainer, tmp_path, extensions if first else extensions[::-1])
    np.testing.assert_allclose(found, [*RISING, *[0.8] * 4, *[0.08] * 4])


@pytest.mark.parametrize("first", [True, False])
def test_a_shift_in_each_iteration_is_felt_after_the_warmup(make_trainer, tmp_path, first):
    extensions = [warmup(), (PolynomialShift("lr", 1, 16), (1, "iteration"))]
    found = rates(make_trainer, tmp_path, extensions if first else extensions[::-1])
    np.testing.assert_allclose(found[:9], [*RISING, 0.8])
    np.testing.assert_allclose(found[9:], 0.8 * (1 - np.arange(9, 16) / 16))


@pytest.mark.parametrize("iteration", [1, 7, 8, 9, 11, 12, 13])
@pytest.mark.parametrize("shift", [lambda: (StepShift("lr", 0.1, 1), (3, "epoch")), None])
def test_resumed_at_any_iteration(make_trainer, tmp_path, iteration, shift):
    def extensions():
        return [warmup(), *([shift()] if shift else [])]

    def save(trainer):
        def now(trainer):
            if trainer.updater.iteration == iteration:
                file = DictionarySerializer()
                file.save(trainer)
                np.savez(tmp_path / "state.npz", **{key: np.copy(value) for key, value in file.target.items()})

        trainer.extend(now, name="save", priority=-100)

    def load(trainer):
        trainer.extend(lambda trainer: None, name="save", priority=-100)
        load_npz(tmp_path / "state.npz", trainer)

    whole = rates(make_trainer, tmp_path, extensions(), prepare=save)
    np.testing.assert_array_equal(rates(make_trainer, tmp_path, extensions(), prepare=load), whole[iteration:])


def test_as_many_times_as_there_are_ranks(make_trainer, tmp_path):
    def program(comm):
        trainer = make_trainer(comm, tmp_path, (1, "epoch"), lr=0.1)
        trainer.extend(LearningRateWarmup(comm, 1))
        trainer.run()
        return trainer.updater.get_optimizer("main").lr

    assert launch(program, 3) == [pytest.approx(0.3)] * 3


def test_another_attribute_and_optimizer(make_trainer, tmp_path):
    class Other:
        alpha = 2.0

    other = Other()
    found = rates(make_trainer, tmp_path, [warmup(attr="alpha", optimizer=other)])
    assert set(found) == {0.1}
    assert other.alpha == 16


def test_bad_arguments(make_trainer, tmp_path):
    for options in ({}, {"factor": 0}, {"factor": 2, "warmup_epochs": -1}):
        with pytest.raises(ValueError, match=r"factor|warmup_epochs"):
            LearningRateWarmup(**options)
    with pytest.raises(AttributeError, match="no 'rl'"):
        rates(make_trainer, tmp_path, [warmup(attr="rl")])


def test_an_earlier_state_is_loaded_into_a_run_that_has_gone_on(make_trainer, tmp_path):
    """The rate that it set itself is not what the next resume multiplies."""
    trainer = make_trainer(ALONE, tmp_path, (4, "epoch"), lr=0.1)
    optimizer, extension = trainer.updater.get_optimizer("main"), warmup()[0]

    def rates_of(iterations):
        extension.resume(trainer)
        extension.initialize(trainer)
        found = []
        for _ in range(iterations):
            found.append(optimizer.lr)
            trainer.updater.update()
            extension(trainer)
        return found

    rates_of(2)
    saved = DictionarySerializer()
    saved.save(trainer)
    state = {key: np.copy(value) for key, value in saved.target.items()}
    right = [*RISING[2:], 0.8, 0.8]
    for _ in range(2):  # into the middle of the warm-up, from beyond its end
        NpzDeserializer(state).load(trainer)
        np.testing.assert_allclose(rates_of(8), right)


def test_another_optimizer_has_its_own_rate(make_trainer, tmp_path):
    """One extension in two runs, one after the other: each optimizer's rate is multiplied once."""
    extension = warmup(0)[0]
    for _ in range(2):
        np.testing.assert_allclose(rates(make_trainer, tmp_path, [(extension, None)], epochs=1), [0.8] * 4)
