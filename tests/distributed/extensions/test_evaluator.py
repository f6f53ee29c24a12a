"""Whether means are those over the examples of all ranks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_core.backend import to_host
from renga_core.link import Link
from renga_core.reporter import Reporter, report
from renga_data.iterators import SerialIterator
from renga_distributed.datasets import create_empty_dataset, scatter_dataset
from renga_distributed.extensions import create_multi_node_evaluator
from renga_distributed.threads import launch
from renga_training.extensions import Evaluator


class Model(Link):
    """Reports a mean over the batch, and one in which examples have weights."""

    def __call__(self, x):
        report({"value": x.mean(), "weighted": (weighted(x), (1 + abs(x)).sum())}, self)


def weighted(x):
    return np.average(x, weights=1 + abs(x))


def evaluate(data, batch_size, wrap=lambda evaluator: evaluator):
    iterator = SerialIterator(np.asarray(data), batch_size, repeat=False, shuffle=False)
    return wrap(Evaluator(iterator, Model()))()


@given(
    parts=st.lists(st.lists(st.floats(-10, 10), max_size=9), min_size=1, max_size=4).filter(any),
    batch_sizes=st.lists(st.integers(1, 5), min_size=4, max_size=4),
)
def test_the_mean_over_all_examples(parts, batch_sizes):
    def program(comm):
        data = np.array(parts[comm.rank], np.float64)
        return evaluate(data, batch_sizes[comm.rank], lambda one: create_multi_node_evaluator(one, comm))

    found = launch(program, len(parts))
    everything = np.concatenate([np.array(part) for part in parts])
    for means in found:
        assert means == found[0]
        np.testing.assert_allclose(means["main/value"], everything.mean(), atol=1e-12)
        np.testing.assert_allclose(means["main/weighted"], weighted(everything), atol=1e-12)


@pytest.mark.parametrize("size", [1, 3])
def test_as_one_process_with_scattered_data(size):
    data = np.random.default_rng(1).normal(size=20).astype(np.float32)

    def program(comm):
        part = scatter_dataset(data, comm, force_equal_length=False)
        return evaluate(part[:], 4, lambda one: create_multi_node_evaluator(one, comm))

    for means in launch(program, size):
        assert means == pytest.approx(evaluate(data, 20), rel=1e-6)


def test_every_rank_reports_again_and_again():
    def program(comm):
        evaluator = create_multi_node_evaluator(
            Evaluator(SerialIterator(np.arange(3.0) + comm.rank, 2, repeat=False, shuffle=False), Model()), comm
        )
        evaluator.name = "validation"
        seen = []
        for _ in range(2):
            reporter = Reporter()
            with reporter:
                evaluator()
            seen.append(reporter.observation["validation/main/value"])
        return seen, isinstance(evaluator, Evaluator)

    assert launch(program, 2) == [([1.5, 1.5], True)] * 2


def test_ranks_that_report_nothing():
    class Part(Link):
        def __call__(self):
            return

    def program(comm):
        if comm.rank == 1:
            iterator = SerialIterator(create_empty_dataset(range(6)), 2, repeat=False)
            return create_multi_node_evaluator(Evaluator(iterator, Part()), comm)()
        return evaluate(np.arange(6.0), 2, lambda one: create_multi_node_evaluator(one, comm))

    first, second = launch(program, 2)
    assert first == second == pytest.approx({"main/value": 2.5, "main/weighted": weighted(np.arange(6.0))})


def test_shared_batches():
    data = np.arange(9.0)

    def program(comm):
        iterator = SerialIterator(data, 4, repeat=False, shuffle=False, communicator=comm)
        return create_multi_node_evaluator(Evaluator(iterator, Model()), comm)()["main/value"]

    assert launch(program, 3) == [4.0] * 3


class ThirdParty(Evaluator):
    """Computes in its own way: what the test says."""

    def __init__(self, result, examples):
        iterator = SerialIterator(range(examples), 1, repeat=False)
        super().__init__(iterator, Model())
        self.result = result

    def evaluate(self):
        return self.result


def third_parties(results, sizes):
    return launch(
        lambda comm: create_multi_node_evaluator(ThirdParty(results[comm.rank], sizes[comm.rank]), comm)(), len(results)
    )


def test_third_parties_results_count_by_examples():
    results = [{"a": 1.0, "b": np.array([1.0, 0.0])}, {"a": np.float32(4), "b": np.array([2.0, 8.0])}]
    for found in third_parties(results, [1, 3]):
        assert found["a"] == 3.25
        assert found["b"].tolist() == [1.75, 6.0]


def test_an_empty_part_counts_nothing():
    assert third_parties([{"a": 1.0}, {"a": np.nan}, {}], [2, 0, 0]) == [{"a": 1.0}] * 3
    assert third_parties([{}, {}], [0, 0]) == [{}] * 2


def test_lists_of_dictionaries():
    class Lists:
        def __init__(self, value):
            self.value = value

        def evaluate(self):
            return [{"a": self.value, "by class": (self.value, 0)}, {"b": {"c": 2 * self.value}}]

    def program(comm):
        return create_multi_node_evaluator(Lists(float(comm.rank)), comm).evaluate()

    for found in launch(program, 3):
        assert found == [{"a": 1.0, "by class": [1.0, 0.0]}, {"b": {"c": 2.0}}]


def test_a_result_of_variables_and_of_what_only_some_have():
    from renga_core.graph import Variable

    results = [{"a": Variable(np.array(1.0)), "c": 5.0}, {"a": np.array(3.0)}]
    for found in third_parties(results, [1, 1]):
        assert found == {"a": 2.0, "c": 5.0}
        assert isinstance(to_host(found["a"]), (np.ndarray, np.generic))


@pytest.mark.parametrize(
    "results", [[{"a": 1.0}, [1.0]], [[1.0], [1.0, 2.0]], [{"a": 1.0}, {"a": [1.0]}], [{"a": np.zeros(2)}, {"a": 1.0}]]
)
def test_results_that_differ(results):
    class Either:
        def __init__(self, value):
            self.evaluate = lambda: value

    def program(comm):
        with pytest.raises(ValueError, match=r"structure|shape"):
            create_multi_node_evaluator(Either(results[comm.rank]), comm).evaluate()

    launch(program, 2)
