import io
import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_data.datasets import (
    PickleDataset,
    PickleDatasetWriter,
    open_pickle_dataset,
    open_pickle_dataset_writer,
)
from renga_data.iterators import MultiprocessIterator

EXAMPLES = st.lists(st.recursive(st.none() | st.integers() | st.text(), lambda x: st.lists(x) | st.tuples(x, x)))


def write(path, examples, **options):
    with open_pickle_dataset_writer(path, **options) as writer:
        for example in examples:
            writer.write(example)
    return path


@given(EXAMPLES, st.integers(0, pickle.HIGHEST_PROTOCOL))
def test_what_is_written_is_read(examples, protocol):
    file = io.BytesIO()
    writer = PickleDatasetWriter(file, protocol)
    for example in examples:
        writer.write(example)
    writer.flush()
    dataset = PickleDataset(file)
    assert [dataset[i] for i in reversed(range(len(dataset)))] == examples[::-1]


def test_files(tmp_path):
    path = write(tmp_path / "data", [(1, np.arange(3)), "two"])
    with open_pickle_dataset(path) as dataset:
        assert (len(dataset), dataset[-1]) == (2, "two")
        assert dataset[0][1].tolist() == [0, 1, 2]
        with pytest.raises(IndexError):
            dataset[2]
        again = pickle.loads(pickle.dumps(dataset))
    with again:
        assert again[1] == "two"
    with pytest.raises(ValueError, match="closed file"):
        dataset[0]


def fail_after_writing(writer):
    writer.write(3)
    raise KeyError


def test_a_file_is_there_when_it_has_been_closed(tmp_path):
    path = write(tmp_path / "data", [1])
    writer = open_pickle_dataset_writer(path)
    writer.write(2)
    with open_pickle_dataset(path) as dataset:
        assert dataset[:] == [1]
    writer.close()
    with open_pickle_dataset(path) as dataset:
        assert dataset[:] == [2]
    with pytest.raises(KeyError), open_pickle_dataset_writer(path) as writer:
        fail_after_writing(writer)
    with open_pickle_dataset(path) as dataset:
        assert dataset[:] == [2]
    assert os.listdir(tmp_path) == ["data"]


def test_a_file_that_is_cut(tmp_path):
    path = write(tmp_path / "data", ["one", "a longer text" * 10])
    content = path.read_bytes()
    first = len(pickle.dumps("one"))
    for end in range(first + 1, len(content)):
        path.write_bytes(content[:end])
        with pytest.raises(pickle.UnpicklingError, match="ends within example 1"):
            open_pickle_dataset(path)


def test_what_cannot_be_opened(tmp_path):
    with pytest.raises(FileNotFoundError, match="nobody"):
        open_pickle_dataset(tmp_path / "nobody")
    reader, writer = os.pipe()
    os.close(writer)
    with open(reader, "rb") as stream, pytest.raises(ValueError, match="any position"):
        PickleDataset(stream)


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_threads_and_processes_share_it(tmp_path):
    examples = [(i, "x" * (i % 50)) for i in range(300)]
    with open_pickle_dataset(write(tmp_path / "data", examples)) as dataset:
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(dataset.get_example, range(300))) == examples
        arguments = {"repeat": False, "shuffle": False, "n_processes": 3}
        for start_method in ("fork", "spawn"):
            with MultiprocessIterator(dataset, 60, start_method=start_method, **arguments) as batches:
                assert [example for batch in batches for example in batch] == examples


@pytest.mark.parametrize("thing", [PickleDataset, open_pickle_dataset])
def test_the_danger_is_told(thing):
    assert "runs the code in it" in thing.__doc__


def test_one_of_an_open_file_can_be_pickled_where_the_file_can():
    file = io.BytesIO()
    with_examples = PickleDatasetWriter(file)
    with_examples.write("one")
    with_examples.write("two")
    file.seek(0)
    copied = pickle.loads(pickle.dumps(PickleDataset(file)))
    assert list(copied) == ["one", "two"]


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_a_reader_is_told_of_a_fork():
    class Reader(io.BytesIO):
        forks = 0

        def after_fork(self):
            self.forks += 1

    file = Reader()
    PickleDatasetWriter(file).write("one")
    file.seek(0)
    dataset = PickleDataset(file)
    dataset._lock.acquire()  # as a thread may that is not there any more
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        ok = dataset[0] == dataset[0] == "one" and file.forks == 1
        os.write(write, b"ok" if ok else b"no")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 2) == b"ok"
    assert file.forks == 0
    os.close(read)
    os.close(write)
