"""Some examples without the others; whole data sets divided so are in tests/distributed/datasets."""

import numpy as np

from renga_data.datasets import SubDataset, TupleDataset
from renga_data.datasets.take import take


def test_nothing_else_is_held():
    array = np.arange(30).reshape(10, 3)
    part = take(SubDataset(TupleDataset(array, list(range(10))), 2, 8, np.arange(10)[::-1]), np.array([1, 0]))
    assert [(x.tolist(), t) for x, t in part] == [(array[6].tolist(), 6), (array[7].tolist(), 7)]
    images, labels = part._dataset._datasets
    assert images.shape == (2, 3)
    assert labels == [6, 7]


def test_a_type_of_ones_own_may_read_otherwise():
    class Doubled(list):
        def __getitem__(self, index):
            return 2 * super().__getitem__(index)

    assert take(Doubled([1, 2]), np.array([0])) is None
    assert take(TupleDataset(Doubled([1, 2])), np.array([0])) is None
