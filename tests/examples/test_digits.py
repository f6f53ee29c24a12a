"""The example of a classifier of digits, for a few epochs."""

import pytest


@pytest.fixture(scope="module")
def example(example_of):
    return example_of("digits")


def test_it_learns_and_leaves_its_log(example, tmp_path):
    _, found = example.train(tmp_path, model__channels=8, model__units=32, run__epochs=3, optimizer__alpha=0.01)
    assert found["accuracy"] > 0.9
    assert list(tmp_path.glob("snapshot_*"))
    assert (tmp_path / "preprocessing.json").exists()
