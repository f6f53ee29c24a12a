"""Whether all ranks stop together, for the same reason."""

import copy

import numpy as np

from renga_core.reporter import report
from renga_distributed.extensions import MultiNodeEarlyStoppingTrigger
from renga_distributed.threads import launch
from renga_serializers.npz import DictionarySerializer, load_npz
from renga_training.triggers import IntervalTrigger

# Of rank 0, the value gets better all the time, of rank 1 it gets worse after the fourth epoch; so does the mean.
VALUES = [[9, 8, 7, 6, 5, 4, 3, 2, 1], [9, 8, 7, 6, 9, 12, 15, 18, 21]]


def run(make_trainer, tmp_path, prepare=lambda trainer, comm: None, **options):
    def program(comm):
        trigger = MultiNodeEarlyStoppingTrigger(
            comm, monitor="value", **copy.deepcopy(options)
        )  # ranks share no trigger
        trainer = make_trainer(comm, tmp_path, trigger)
        trainer.extend(
            lambda trainer: report({"value": VALUES[comm.rank][(trainer.updater.iteration - 1) // 4]}), name="value"
        )
        prepare(trainer, comm)
        trainer.run()
        return trainer.updater.iteration, trigger.best, trigger.count, trainer.observation["value_aggregated"]

    return launch(program, 2)


def test_they_stop_by_the_mean(make_trainer, tmp_path):
    assert run(make_trainer, tmp_path, patience=2) == [(24, 6.0, 2, 8.0)] * 2


def test_a_trigger_object_ends_intervals_as_a_pair_does(make_trainer, tmp_path):
    assert run(make_trainer, tmp_path, patience=2, check_trigger=IntervalTrigger(1, "epoch")) == [(24, 6, 2, 8)] * 2


def test_the_longest_that_training_may_last(make_trainer, tmp_path):
    found = run(make_trainer, tmp_path, patience=2, max_trigger=(3, "epoch"))
    assert [iteration for iteration, *_ in found] == [12, 12]
    assert MultiNodeEarlyStoppingTrigger(launch(lambda comm: comm, 1)[0]).get_training_length() == (100, "epoch")


def test_one_rank_says_so(make_trainer, tmp_path, capsys):
    run(make_trainer, tmp_path, patience=2, verbose=True)
    assert capsys.readouterr().out.count("Stopping") == 1


def test_resumed_in_an_interval(make_trainer, tmp_path):
    def save(trainer, comm):
        def before_the_end(trainer):
            if trainer.updater.iteration == 23:
                file = DictionarySerializer()
                file.save(trainer)
                np.savez(tmp_path / f"{comm.rank}.npz", **{key: np.copy(value) for key, value in file.target.items()})

        trainer.extend(before_the_end, name="save", priority=-100)

    def load(trainer, comm):
        trainer.extend(lambda trainer: None, name="save", priority=-100)
        load_npz(tmp_path / f"{comm.rank}.npz", trainer)

    options = {"patience": 2, "check_trigger": (5, "iteration")}
    whole = run(make_trainer, tmp_path, save, **options)
    assert whole[0][0] == 25
    assert run(make_trainer, tmp_path, load, **options) == whole
