"""Chainer's names for devices and arrays."""

from __future__ import annotations

import numpy as np
import pytest

from renga_chainer.backend import (
    CpuDevice,
    GpuDevice,
    copyto,
    from_chx,
    get_array_types,
    get_cpu_array_types,
    get_device_from_array,
    is_arrays_compatible,
    to_chx,
)
from renga_core.backend import Device, get_device
from renga_core.graph import Variable
from renga_core.plugin import ProviderUnavailable
from renga_testing.every_backend import ready_backends


def test_the_cpu_is_the_device_numpy():
    assert CpuDevice() == get_device("numpy")
    assert isinstance(get_device("numpy"), CpuDevice)
    assert isinstance(CpuDevice(), Device)
    assert not isinstance(get_device("numpy"), GpuDevice)
    assert not isinstance("numpy", CpuDevice)


@pytest.mark.skipif("cupy" in ready_backends(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_refused_with_the_reason():
    for make in (lambda: GpuDevice(0), lambda: GpuDevice.from_device_id(0)):
        with pytest.raises(ProviderUnavailable, match="cupy"):
            make()


def test_an_array_of_the_cpu_is_on_no_gpu():
    assert GpuDevice.from_array(np.ones(2)) is None


@pytest.mark.parametrize("backend", ready_backends())
def test_copyto_writes_into_any_array(backend):
    device = get_device(backend)
    x = device.send(np.zeros((2, 3), np.float32))
    copyto(x, np.arange(3.0))
    assert device.backend.to_host(x).tolist() == [[0, 1, 2]] * 2
    assert x.dtype == "float32"
    y = np.zeros((2, 3))
    copyto(y, x)
    assert y.tolist() == [[0, 1, 2]] * 2


@pytest.mark.parametrize("backend", ready_backends())
def test_the_device_of_the_first_array(backend):
    device = get_device(backend)
    x = device.send(np.ones(2, np.float32))
    assert get_device_from_array(x) == device
    assert get_device_from_array(3, None, Variable(x), np.ones(1)) == device
    assert get_device_from_array(1.0) == get_device("numpy")
    assert get_device_from_array() == get_device("numpy")
    assert type(x) in get_array_types()


def test_types():
    assert np.ndarray in get_array_types()
    assert get_cpu_array_types() == (np.ndarray,)


def test_arrays_are_compatible_within_a_backend():
    assert is_arrays_compatible([np.ones(1), None, Variable(np.ones(2))])
    assert is_arrays_compatible([])
    for backend in set(ready_backends()) - {"numpy"}:
        assert not is_arrays_compatible([np.ones(1), get_device(backend).send(np.ones(1, np.float32))])


def test_chainerx_is_gone():
    x = np.ones(1)
    assert from_chx(x) is x
    with pytest.raises(RuntimeError, match="retired"):
        to_chx(x)


def test_copyto_takes_numbers_and_refuses_a_lesser_kind():
    x = np.zeros(2, np.float32)
    copyto(x, [1, 2])
    assert x.tolist() == [1, 2]
    copyto(x, 3.0)
    assert x.tolist() == [3, 3]
    n = np.zeros(2, np.int32)
    with pytest.raises(TypeError, match="cannot cast from float64 to the array"):
        copyto(n, np.ones(2))
    assert n.tolist() == [0, 0]


@pytest.mark.parametrize("other", [3, None, np.float32(1), [1.0], Variable(np.ones(2))])
def test_what_is_no_array_is_on_no_device(other):
    assert CpuDevice.from_array(other) is None
    assert GpuDevice.from_array(other) is None


def test_kinds_of_devices_are_devices():
    assert CpuDevice.from_array(np.ones(2)) == CpuDevice()
    assert issubclass(CpuDevice, Device)
    assert issubclass(GpuDevice, Device)
