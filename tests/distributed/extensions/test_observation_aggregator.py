"""Whether ranks come to have one value."""

import numpy as np
import pytest

from renga_distributed.extensions import ObservationAggregator
from renga_distributed.threads import launch
from renga_serializers.npz import DictionarySerializer, NpzDeserializer
from renga_training.extensions import LogReport


def run(make_trainer, tmp_path, size, stop=(2, "epoch"), key="main/x", **options):
    """What each iteration's observation holds, on each rank."""

    def program(comm):
        trainer = make_trainer(comm, tmp_path, stop)
        seen = []
        trainer.extend(ObservationAggregator(comm, key, **options))
        trainer.extend(lambda trainer: seen.append(dict(trainer.observation)), name="see")
        trainer.run()
        return seen

    return launch(program, size)


def test_the_mean_takes_its_place(make_trainer, tmp_path):
    alone = [run(make_trainer, tmp_path, 2, aggregated_key="other")[rank] for rank in range(2)]
    first, second = run(make_trainer, tmp_path, 2)
    for i in range(8):
        mean = np.mean([float(seen[i]["main/x"].item()) for seen in alone])
        assert first[i]["main/x"] == second[i]["main/x"] == pytest.approx(mean)
        assert alone[0][i]["other"] == pytest.approx(mean)


def test_values_of_an_interval(make_trainer, tmp_path):
    options = {"aggregated_key": "mean", "comm_trigger": (1, "epoch")}
    for seen in run(make_trainer, tmp_path, 3, **options):
        assert ["mean" in observation for observation in seen] == 2 * [False, False, False, True]
        assert [observation["mean"] for observation in seen[3::4]] == [11.5, 11.5]


def test_an_aggregator_of_ones_own(make_trainer, tmp_path):
    def largest(collected):
        assert [len(of_rank) for of_rank in collected] == [2, 2]
        return max(max(of_rank) for of_rank in collected)

    options = {"aggregated_key": "most", "comm_trigger": (2, "iteration"), "aggregator": largest}
    first, second = run(make_trainer, tmp_path, 2, **options)
    assert [seen.get("most") for seen in first] == [seen.get("most") for seen in second]
    assert max(seen.get("most", 0) for seen in first) == 13


def test_what_nobody_reports_is_left_out(make_trainer, tmp_path):
    for seen in run(make_trainer, tmp_path, 2, key="nothing"):
        assert not any("nothing" in observation for observation in seen)


def test_what_one_rank_reports_gets_to_all():
    class Trainer:
        observation: dict

    def program(comm):
        trainer = Trainer()
        trainer.observation = {"a": np.array([1.0, 3.0])} if comm.rank == 1 else {}
        ObservationAggregator(comm, "a", comm_trigger=lambda trainer: True)(trainer)
        return trainer.observation["a"].tolist()

    assert launch(program, 2) == [[1, 3]] * 2


def test_the_log_of_rank_0_is_that_of_all(make_trainer, tmp_path):
    def program(comm):
        trainer = make_trainer(comm, tmp_path)
        trainer.extend(ObservationAggregator(comm, "main/x"))
        log = LogReport(filename=None)
        trainer.extend(log)
        trainer.run()
        return [entry["main/x"] for entry in log.log]

    assert launch(program, 2) == [pytest.approx([6.5] * 3)] * 2


@pytest.mark.parametrize("value", [np.float32(2), np.array([1.0, 2.0])])
def test_resumed_in_an_interval(value):
    class Trainer:
        observation: dict

    fire = []
    before, after = (
        ObservationAggregator(launch(lambda comm: comm, 1)[0], "a", comm_trigger=lambda trainer: bool(fire))
        for _ in range(2)
    )
    trainer = Trainer()
    for aggregator in (before, before):
        trainer.observation = {"a": value}
        aggregator(trainer)
    file = DictionarySerializer()
    file.save(before)
    NpzDeserializer(file.target).load(after)
    trainer.observation = {"a": 4 * value}
    fire.append(1)
    after(trainer)
    np.testing.assert_array_equal(trainer.observation["a"], 2 * value)
    file = DictionarySerializer()
    file.save(after)
    NpzDeserializer(file.target).load(before)
    assert before._collected == []
