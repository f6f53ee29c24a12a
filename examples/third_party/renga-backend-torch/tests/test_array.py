"""Arrays against NumPy's: what the conformance kit does not ask for, and what people do with tensors of their own."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import torch
from renga_backend_torch.array import TorchArray

import renga.functions as F
from renga import Variable
from renga.backend import get_array_module, get_backend, get_device, to_host

TORCH = get_device("torch")
xp = TORCH.xp

HOST = np.arange(24.0).reshape(2, 3, 4)
INDEXES = {
    "integer": 1,
    "last": -1,
    "NumPy's integer": np.int64(1),
    "backwards": (..., slice(None, None, -2)),
    "all backwards": (slice(None, None, -1), ..., slice(3, 0, -1)),
    "none backwards": (slice(0, 0, -1),),
    "new axes": (None, 0, ..., None),
    "list": ([0, 1], [1, 2]),
    "integers": (slice(None), np.array([1, 0])),
    "bytes": (slice(None), np.array([1, 0], np.uint8)),
    "apart": (np.array([0, 1]), slice(None), np.array([1, 2])),
    "mask": HOST > 5,
    "mask of an axis": (0, HOST[0] > 3),
}


def same(x, right):
    np.testing.assert_array_equal(to_host(x), right)
    assert x.dtype == np.asarray(right).dtype


@pytest.mark.parametrize("name", INDEXES)
def test_indexing(name):
    key = INDEXES[name]
    same(TORCH.send(HOST)[key], HOST[key])
    for value in (-1.0, np.random.default_rng(0).random(HOST[key].shape)):
        host, array = HOST.copy(), TORCH.send(HOST.copy())
        host[key] = value
        array[key] = value if isinstance(value, float) else TORCH.send(value)
        same(array, host)


def test_dtypes_are_numpys():
    single, double, whole = HOST.astype("f4"), HOST, np.arange(6)
    x, y, n = map(TORCH.send, (single, double, whole))
    same(x * 2, single * 2)
    same(x * y, single * double)
    same(x + y.sum(), single + np.asarray(double.sum()))
    same(np.float64(2) * x, np.float64(2) * single)
    same(n / 2, whole / 2)
    same(n * 0.5, whole * 0.5)
    same(n.mean(), np.asarray(whole.mean()))
    same((n > 2).sum(), np.asarray((whole > 2).sum()))
    same(xp.where(n > 2, 1, 0.5), np.where(whole > 2, 1, 0.5))
    same(xp.exp(n), np.exp(whole))
    half = x.astype("float16")
    half += y
    assert half.dtype == np.float16
    with pytest.raises(TypeError, match="float64 cannot be stored in an array of int64"):
        n += 0.5


@pytest.mark.parametrize(
    "wrong",
    [
        lambda x: x + xp.ones(5),
        lambda x: x @ xp.ones((5, 5)),
        lambda x: x.reshape(5, 5),
        lambda x: xp.broadcast_to(x, (3,)),
        lambda x: xp.concatenate([x, xp.ones((1, 1))]),
        lambda x: xp.where(x > 0, x, xp.ones(5)),
        lambda x: x[:, :, :0].max(axis=2),
        lambda x: x.__setitem__(0, xp.ones(5)),
    ],
)
def test_shapes_that_do_not_fit_are_a_value_error(wrong):
    with pytest.raises(ValueError, match=r"shape|size|elements"):
        wrong(TORCH.send(HOST))


def test_libraries_do_not_mix_in_passing():
    x = TORCH.send(HOST)
    with pytest.raises(TypeError, match="move one to the other's device"):
        x + HOST
    with pytest.raises(TypeError, match="to_host"):
        np.asarray(x)


def test_tensors_may_be_given_to_functions():
    tensor = torch.ones(3, dtype=torch.float64, requires_grad=True)
    x = Variable(tensor)
    y = F.sum(F.exp(x) * tensor)
    assert isinstance(x.array, TorchArray)
    assert not x.array.native.requires_grad
    y.backward()
    same(x.grad, np.exp(np.ones(3)))
    assert x.array.native.data_ptr() == tensor.data_ptr()


def test_the_hosts_memory_is_shared_where_it_can_be():
    host = np.zeros(3)
    TORCH.send(host)[...] = 1.0
    assert host.tolist() == [1.0, 1.0, 1.0]
    for x in (HOST[:, ::-1], np.broadcast_to(1.0, (2, 2)), HOST.astype(">f8")):
        np.testing.assert_array_equal(to_host(TORCH.send(x)), x)


def test_exchange():
    x = TORCH.send(HOST)
    same(pickle.loads(pickle.dumps(x)), HOST)
    same(copy.deepcopy(x), HOST)
    assert torch.from_dlpack(x).data_ptr() == x.native.data_ptr()
    assert get_array_module(x) is get_backend("torch").xp


def test_dtypes_that_one_side_lacks():
    with pytest.raises(TypeError, match="NumPy has no name for the dtype"):
        F.exp(Variable(torch.ones(2, dtype=torch.bfloat16)))
    with pytest.raises(TypeError, match="no arrays of <U1"):
        TORCH.send(np.array(["a"]))
