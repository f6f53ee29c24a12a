"""Communicators by name."""

import importlib.util
import sys
from types import ModuleType

import numpy as np
import pytest

import renga.distributed
from renga_core.errors import RengaError
from renga_core.plugin import (
    PluginManager,
    Provider,
    ProviderFaulty,
    ProviderUnavailable,
    UnknownProvider,
    hookimpl,
    using_manager,
)
from renga_distributed.create import create_communicator
from renga_distributed.single import SingleCommunicator
from renga_distributed.threads import launch


class Mine(SingleCommunicator):
    """A third party's, made from an MPI communicator."""

    def __init__(self, mpi_comm=None) -> None:
        super().__init__()
        self.mpi_comm = mpi_comm


def test_by_name() -> None:
    communicator = create_communicator("single")
    assert isinstance(communicator, SingleCommunicator)
    assert communicator.get_config() == communicator.default_config
    assert renga.distributed.create_communicator is create_communicator


def test_in_a_thread_that_launch_has_started() -> None:
    assert launch(lambda _: create_communicator("threads").allreduce_obj(1), 3) == [3, 3, 3]


@pytest.mark.parametrize("dtype", ["float16", np.float16, np.dtype("float16")])
def test_configuration(dtype) -> None:
    communicator = create_communicator("single", allreduce_grad_dtype=dtype, batched_copy=False)
    assert communicator.get_config("allreduce_grad_dtype") == "float16"
    assert communicator.get_config("batched_copy") is False


def test_a_name_that_there_is_not() -> None:
    with pytest.raises(UnknownProvider, match="Did you mean 'single'"):
        create_communicator("singel")


def test_a_dtype_in_which_gradients_do_not_travel() -> None:
    with pytest.raises(ValueError, match="allreduce_grad_dtype is 'int8'"):
        create_communicator("single", allreduce_grad_dtype="int8")


def test_one_that_is_not_made_from_an_mpi_communicator() -> None:
    with pytest.raises(ValueError, match="mpi_comm was given, but communicator 'single' does not use MPI"):
        create_communicator("single", mpi_comm=object())


class ThirdParty:
    @hookimpl
    def renga_communicators(self):
        return [Provider(name="mine", target="third_party_of_a_test:Mine", revision=1, summary="wraps MPI's")]


@pytest.fixture
def third_party(monkeypatch):
    module = ModuleType("third_party_of_a_test")
    module.Mine = Mine
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with using_manager(PluginManager()) as manager:
        manager.register("third_party", ThirdParty())
        yield


@pytest.mark.usefixtures("third_party")
def test_an_mpi_communicator_is_handed_on_to_a_third_partys() -> None:
    world = object()
    assert create_communicator("mine", world).mpi_comm is world
    assert create_communicator("third_party:mine").mpi_comm is None


@pytest.mark.usefixtures("third_party")
def test_a_constructor_that_raises_is_named(monkeypatch) -> None:
    def fail() -> None:
        raise KeyError("no such socket")

    monkeypatch.setattr(sys.modules["third_party_of_a_test"], "Mine", fail)
    told = (
        r"communicator third_party:mine \(from .+\) could not be made: KeyError: 'no such socket'. Next: `renga check "
    )
    with pytest.raises(ProviderFaulty, match=told) as caught:
        create_communicator("mine")
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.skipif(importlib.util.find_spec("cupy") is not None, reason="CuPy is installed")
def test_nccl_without_cupy() -> None:
    with pytest.raises(ProviderUnavailable) as caught:
        create_communicator("pure_nccl")
    message = str(caught.value)
    assert "communicator 'pure_nccl' (from create_communicator)" in message
    assert "module 'cupy' is not installed" in message
    assert "pip install 'renga[cuda13,nccl13]'" in message


class Unusable:
    @hookimpl
    def renga_communicators(self):
        probe = "probe_of_a_test:why_not"  # importing the target would fail: what the probe says is better to know
        return [Provider(name="mine", target="nowhere:Mine", revision=1, summary="needs more", probe=probe)]


def test_a_communicator_that_cannot_work_here_says_why(monkeypatch) -> None:
    module = ModuleType("probe_of_a_test")
    module.why_not = lambda: "its library is not there"
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with using_manager(PluginManager()) as manager:
        manager.register("third_party", Unusable())
        with pytest.raises(ProviderUnavailable, match="its library is not there"):
            create_communicator("mine")


def test_processes_that_a_communicator_does_not_connect(monkeypatch) -> None:
    """As MPI's, if the launcher without MPI has started them, and the other way round."""
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "2")
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "1")
    with pytest.raises(RengaError, match=r"2 processes were started, and communicator 'tcp' does not connect them"):
        create_communicator("tcp")
    assert create_communicator("single").size == 1
