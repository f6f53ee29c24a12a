import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_core.backend import Backend, Device, get_backend
from renga_data.async_transfer import ConcatWithAsyncTransfer, Conveyor
from renga_data.convert import concat_examples


class There(np.ndarray):
    """An array on a device."""


class Library:
    """A namespace that is not NumPy's."""


class Elsewhere(type(get_backend("numpy"))):
    """A backend whose uploads take their time: they are complete when they are asked for."""

    name = "elsewhere"
    xp = Library
    array_types = (There,)

    def __init__(self):
        self.log = []

    def asarray(self, value, index=0):
        return np.asarray(value).view(There)

    def upload(self, array, index=0, stream=None):
        self.log.append(("begins", index, stream))
        copy = array.copy()

        def ready():
            self.log.append("is asked for")
            return copy.view(There)

        return ready


@pytest.fixture
def device():
    return Device(Elsewhere(), 1)


def test_first_in_first_out(device):
    conveyor = Conveyor(device, stream="a stream")
    for i in range(3):
        array = np.full(2, i)
        conveyor.put(array)
        array[:] = 9  # what was put in may be changed
    assert device.backend.log == [("begins", 1, "a stream")] * 3
    got = [conveyor.get() for _ in range(3)]
    assert [(type(x), x.tolist()) for x in got] == [(There, [i, i]) for i in range(3)]
    with pytest.raises(IndexError, match="empty Conveyor"):
        conveyor.get()


@pytest.mark.parametrize("device", [None, "numpy", "@numpy"])
def test_on_the_host_nothing_is_copied(device):
    array = np.zeros(3)
    conveyor = Conveyor(device)
    conveyor.put(array)
    assert conveyor.get() is array


def test_every_backend_can_upload():
    array = np.arange(3)
    ready = Backend.upload(get_backend("numpy"), array)
    array[0] = 5  # the host's array may be changed as soon as the upload has begun
    assert ready().tolist() == [0, 1, 2]


@given(st.lists(st.tuples(st.integers(0, 9), st.floats(0, 1)), min_size=1), st.sampled_from(["tuple", "dict", "one"]))
def test_a_batch_is_what_concat_examples_makes(pairs, kind):
    batch = {"tuple": pairs, "dict": [{"x": x, "t": t} for x, t in pairs], "one": [x for x, _ in pairs]}[kind]
    for device in (None, "numpy"):
        ours, reference = ConcatWithAsyncTransfer()(batch, device), concat_examples(batch, device)
        assert type(ours) is type(reference)
        np.testing.assert_equal(ours, reference)


def test_all_arrays_are_under_way_before_the_first_is_asked_for(device):
    entered = []

    class Stream:
        def __enter__(self):
            entered.append("in")

        def __exit__(self, *_):
            entered.append("out")

    convert = ConcatWithAsyncTransfer("copies", Stream())
    x, t = convert([(np.zeros(2), 1), (np.ones(3), 2)], device, padding=(5, None))
    assert device.backend.log == [("begins", 1, "copies")] * 2 + ["is asked for"] * 2
    assert (type(x), x.tolist(), t.tolist()) == (There, [[0, 0, 5], [1, 1, 1]], [1, 2])
    assert entered == ["in", "out"]


def test_errors_are_those_of_concat_examples():
    with pytest.raises(ValueError, match="the batch is empty"):
        ConcatWithAsyncTransfer()([])
