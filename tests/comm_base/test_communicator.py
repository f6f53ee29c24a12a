"""What every communicator has from the start, built on what each must write itself."""

import copy
import re
from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import pytest

from renga_comm_base import Communicator
from renga_comm_base.background import Done
from renga_comm_base.nodes import OnNodes
from renga_core.communicator import CommunicatorBase
from renga_distributed.single import SingleCommunicator
from renga_distributed.threads import ThreadsCommunicator, launch
from renga_testing.suites import CommunicatorSuite


class Minimal(ThreadsCommunicator):
    """One that has written no more than it must."""

    overlaps = False
    allgather_obj = CommunicatorBase.allgather_obj
    barrier = CommunicatorBase.barrier
    agree = CommunicatorBase.agree


class TestMinimal(CommunicatorSuite):
    provider = "distributed:threads"
    target = Minimal
    sizes = (2, 3)
    xfails = dict.fromkeys(
        ["test_ranks[numpy-2-different_collectives]", "test_ranks[numpy-3-different_collectives]"],
        "a barrier is a gathering of None, and meets others",
    )

    @classmethod
    def parameters(cls):
        return {**super().parameters(), "device": ("numpy",)}

    def launch(self, program, size, device):
        errors = [None] * size

        def work(communicator):
            try:
                program(Minimal(), device)
            except Exception as error:
                errors[communicator.rank] = error
                raise

        with suppress(Exception):
            launch(work, size)
        return errors


def test_a_minimal_one_has_written_what_is_abstract_only() -> None:
    written = {name for name in {**vars(OnNodes), **vars(ThreadsCommunicator)} if not name.startswith("_")}
    written -= set(vars(Minimal))
    assert written == set(Communicator.__abstractmethods__)


class Doubling(Communicator):
    """As if a second process had given the same arrays, and rank 0 held zeros."""

    rank, size, intra_rank, intra_size, inter_rank, inter_size = 1, 2, 1, 2, 0, 1

    def allreduce(self, data):
        return data + data

    def bcast(self, data, max_buf_len=None, root=0):
        return np.zeros_like(data)

    def allgather_obj(self, obj):
        return [obj, obj]


for name in Communicator.__abstractmethods__ - {"allreduce", "bcast"} - set(vars(Doubling)):
    setattr(Doubling, name, None)
Doubling.__abstractmethods__ = frozenset()


class FakeParameter(SimpleNamespace):
    def zerograd(self) -> None:
        self.grad = np.zeros_like(self.array)


class Model:
    def __init__(self, **parameters) -> None:
        self.parameters = parameters

    def namedparams(self):
        # Ranks may yield them in different orders; collectives must not be called in different orders.
        return iter(sorted(self.parameters.items(), reverse=True))


def parameter(grad, *, is_initialized: bool = True) -> FakeParameter:
    array = np.ones(3, np.float32)
    return FakeParameter(array=array, shape=(3,), dtype=array.dtype, grad=grad, is_initialized=is_initialized)


@pytest.mark.parametrize("zero_fill", [False, True])
def test_mean_of_gradients(zero_fill) -> None:
    grad = np.arange(3, dtype=np.float32)
    model = Model(a=parameter(grad), b=parameter(None), c=parameter(None, is_initialized=False))
    Doubling().multi_node_mean_grad(model, zero_fill=zero_fill)
    np.testing.assert_array_equal(model.parameters["a"].grad, grad)  # (g + g) / 2
    assert model.parameters["a"].grad.dtype == np.float32
    if zero_fill:
        np.testing.assert_array_equal(model.parameters["b"].grad, np.zeros(3))
    else:
        assert model.parameters["b"].grad is None
    assert model.parameters["c"].grad is None


def test_bcast_data_writes_into_the_arrays() -> None:
    model = Model(a=parameter(None), b=parameter(None, is_initialized=False))
    array = model.parameters["a"].array
    Doubling().bcast_data(model)
    np.testing.assert_array_equal(array, np.zeros(3))
    np.testing.assert_array_equal(model.parameters["b"].array, np.ones(3))


def test_collectives_are_called_in_the_order_of_names() -> None:
    called = []

    class Recording(Doubling):
        def allreduce(self, data):
            called.append(float(data[0]))
            return data

    model = Model(**{name: parameter(np.full(3, float(i))) for i, name in enumerate("abc")})
    communicator = Recording()
    communicator.set_config("bucket_bytes", 0)
    communicator.multi_node_mean_grad(model)
    assert called == [0.0, 1.0, 2.0]


def test_copies_of_what_holds_a_communicator_hold_the_same_one() -> None:
    communicator = Doubling()
    assert copy.deepcopy({"communicator": communicator})["communicator"] is communicator


def test_without_overlap_a_mean_is_there_at_once() -> None:
    def program(_):
        request = Minimal().imean([np.ones(2)])
        return isinstance(request, Done)

    assert launch(program, 2) == [True, True]


@pytest.mark.parametrize(
    ("given", "name"),
    [(np.float16, "float16"), (np.dtype(np.float32), "float32"), ("bfloat16", "bfloat16"), (None, None)],
)
def test_names_of_wire_dtypes(given, name) -> None:
    communicator = SingleCommunicator()
    communicator.set_config("allreduce_grad_dtype", given)
    assert communicator.get_config("allreduce_grad_dtype") == name


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        (
            "bucket_byte",
            1,
            "communicators have no configuration 'bucket_byte'. Did you mean 'bucket_bytes'? Known: ",
        ),
        (
            "allreduce_grad_dtype",
            "int8",
            "allreduce_grad_dtype is 'int8'; it must be one of float16, bfloat16, float32, float64, or None",
        ),
        (
            "bucket_bytes",
            -1,
            "bucket_bytes is -1; it must be a number of bytes, 0 or more, or None: no limit",
        ),
        (
            "bucket_bytes",
            "25MB",
            "bucket_bytes is '25MB'; it must be a number of bytes, 0 or more, or None: no limit",
        ),
    ],
)
def test_settings_that_cannot_be(name, value, told) -> None:
    communicator = SingleCommunicator()
    with pytest.raises(ValueError, match=re.escape(told)):
        communicator.set_config(name, value)
    assert communicator.get_config() == communicator.default_config


def test_a_configuration_is_one_communicators_own() -> None:
    one, two = SingleCommunicator(), SingleCommunicator()
    one.set_config("bucket_bytes", 1)
    assert two.get_config("bucket_bytes") == Communicator.default_config["bucket_bytes"]
    two.copy_config(one.get_config())
    two.set_config("bucket_bytes", 2)
    assert (one.get_config("bucket_bytes"), two.get_config("bucket_bytes")) == (1, 2)


def test_integers_have_no_mean() -> None:
    def program(comm):
        with pytest.raises(TypeError):
            comm.mean([np.ones(3, np.int32)])
        return comm.allreduce_obj(1)

    assert launch(program, 2) == [2, 2]


def test_means_of_integers_are_refused() -> None:
    """On every rank, and before anything is sent."""

    def program(communicator):
        for arrays in ([np.ones(2), np.arange(3)], [np.array([True])]):
            with pytest.raises(TypeError, match=r"not (int64|bool)"):
                communicator.mean(arrays)
        return communicator.mean([np.full(1, 1j * communicator.rank)])[0][0]

    assert launch(program, 3) == [1j, 1j, 1j]
