"""What ranks are told when they disagree."""

import pickle

import pytest

from renga_core.communicator import MismatchError, RankFailed
from renga_core.errors import RengaError


def test_one_rank_calls_it_differently() -> None:
    shapes = [((3,), "float32"), ((4,), "float32"), ((3,), "float32")]
    assert str(MismatchError([("allreduce", shape) for shape in shapes], 1)) == (
        "ranks call allreduce differently (this is rank 1):\n"
        "  rank 0, 2: allreduce ((3,), 'float32')\n"
        "  rank 1: allreduce ((4,), 'float32')"
    )


def test_one_rank_calls_another_collective() -> None:
    assert str(MismatchError([("bcast", {"root": 0}), ("barrier", None)], 0)) == (
        "ranks call different collectives (this is rank 0):\n  rank 0: bcast {'root': 0}\n  rank 1: barrier"
    )


def test_of_lists_only_what_differs_is_told() -> None:
    same = [f"/layer{i}/W" for i in range(100)]
    assert str(MismatchError([("bcast_data", same), ("bcast_data", [*same[:50], "/odd", *same[51:]])], 0)) == (
        "ranks call bcast_data differently (this is rank 0):\n"
        "  rank 0: bcast_data ['/layer50/W']\n"
        "  rank 1: bcast_data ['/odd']"
    )


@pytest.mark.parametrize(("one", "two"), [(["a", "b"], ["b", "a"]), (["a"], ["a", "a"])])
def test_lists_with_the_same_elements_are_told_whole(one, two) -> None:
    assert str(MismatchError([("mean", one), ("mean", two)], 0)) == (
        f"ranks call mean differently (this is rank 0):\n  rank 0: mean {one}\n  rank 1: mean {two}"
    )


def test_it_survives_pickling() -> None:
    error = MismatchError([("mean", [1]), ("mean", [2])], 1)
    found = pickle.loads(pickle.dumps(error))
    assert (str(found), found.given, found.rank) == (str(error), error.given, 1)


def test_kinds() -> None:
    assert issubclass(MismatchError, ValueError)
    assert issubclass(MismatchError, RengaError)
    assert issubclass(RankFailed, RengaError)
