"""Whether one rank gets the results of all batches."""

import numpy as np
import pytest

import renga
from renga_core.configuration import config
from renga_data.iterators import SerialIterator
from renga_distributed.extensions import GenericMultiNodeEvaluator
from renga_distributed.threads import launch


def iterator(data, batch_size=2):
    return SerialIterator(data, batch_size, repeat=False, shuffle=False)


class Median(GenericMultiNodeEvaluator):
    """No mean of medians is the median of all."""

    def calc_local(self, x):
        assert not config.train
        assert not config.enable_backprop
        return {"values": x, "of": [self.comm.rank]}

    def aggregate(self, results):
        self.ranks = [rank for result in results for rank in result["of"]]
        return float(np.median(np.concatenate([result["values"] for result in results])))


@pytest.mark.parametrize("root", [0, 2])
def test_parts_of_different_lengths(root):
    parts = [np.arange(5.0), np.array([]), np.array([7.0])]

    def program(comm):
        evaluator = Median(comm, iterator(parts[comm.rank]), None, root=root)
        return evaluator(), evaluator(), getattr(evaluator, "ranks", None)

    found = launch(program, 3)
    assert found.pop(root) == (2.5, 2.5, [0, 2, 0, 0])
    assert found == [(None, None, None)] * 2


def test_as_it_is_it_returns_what_the_model_does():
    done = []

    def program(comm):
        hook = done.append if comm.rank == 0 else pytest.fail
        evaluator = GenericMultiNodeEvaluator(
            comm, iterator([comm.rank, 2, 3]), lambda x: x.tolist(), progress_hook=hook
        )
        return evaluator()

    assert launch(program, 2) == [[[0, 2], [1, 2], [3], [3]], None]
    assert done == [[0, 2], [3]]


def test_variables_arrive():
    def program(comm):
        return GenericMultiNodeEvaluator(comm, iterator(np.ones(2) * comm.rank), lambda x: renga.Variable(x) * 2)()

    assert [y.array.tolist() for y in launch(program, 2)[0]] == [[0, 0], [2, 2]]


def test_one_process_needs_no_communicator():
    assert GenericMultiNodeEvaluator(None, iterator([1, 2, 3]), lambda x: int(x.sum()))() == [3, 3]


@pytest.mark.parametrize(
    ("examples", "expected"), [([(1, 2), (3, 4)], [(4, 6)]), ([{"a": 1, "b": 2}, {"a": 3, "b": 4}], [(4, 6)])]
)
def test_arguments_as_the_converter_makes_them(examples, expected):
    evaluator = GenericMultiNodeEvaluator(None, iterator(examples), lambda a, b: (int(a.sum()), int(b.sum())))
    assert evaluator() == expected


def test_in_a_trainer(make_trainer, tmp_path):
    def program(comm):
        trainer = make_trainer(comm, tmp_path)
        found = []

        class Kept(GenericMultiNodeEvaluator):
            def aggregate(self, results):
                found.append(len(results))
                renga.report({"batches": len(results)})

        trainer.extend(Kept(comm, iterator([1.0] * (1 + comm.rank), 1), lambda x: x))
        trainer.run()
        return found, trainer.observation.get("batches"), list(trainer.extensions)

    assert launch(program, 2) == [([3, 3, 3], 3, ["validation"]), ([], None, ["validation"])]


def test_there_is_a_root():
    with pytest.raises(ValueError, match="rank 1"):
        GenericMultiNodeEvaluator(None, iterator([1]), None, root=1)
