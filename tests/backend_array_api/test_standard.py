"""Wrapped arrays against NumPy's, on two libraries that follow the array-API standard: one has nothing else.

The conformance kit, and all functions of Renga, are run on array-api-strict in test_array_api_strict.py.
"""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from renga_backend_array_api import HostGenerator, StandardArray, StandardBackend, StandardNamespace
from renga_core.backend import Backend

strict = pytest.importorskip("array_api_strict")


class StrictArray(StandardArray, library=strict):
    __slots__ = ()


class PlainArray(StandardArray, library=np):
    __slots__ = ()


BACKENDS = {"strict": StandardBackend("strict", StrictArray), "plain": StandardBackend("plain", PlainArray)}

HOST = np.arange(24.0).reshape(2, 3, 4)
INDEXES = {
    "integer": 1,
    "last": -1,
    "NumPy's integer": np.int64(1),
    "backwards": (..., slice(None, None, -2)),
    "all backwards": (slice(None, None, -1), ..., slice(3, 0, -1)),
    "none backwards": (slice(0, 0, -1),),
    "backwards before the ellipsis": (1, slice(None, None, -1), ...),
    "new axes": (None, 0, ..., None),
    "list": ([0, 1], [1, 2]),
    "integers": (slice(None), np.array([1, 0])),
    "apart": (np.array([0, 1]), slice(None), np.array([1, 2])),
    "mask": HOST > 5,
    "mask of an axis": (0, HOST[0] > 3),
}


@pytest.fixture(params=BACKENDS)
def backend(request):
    return BACKENDS[request.param]


@pytest.fixture
def send(backend):
    return backend.asarray


def same(x, right):
    right = np.asarray(right)
    assert isinstance(x, StandardArray)
    np.testing.assert_array_equal(x.to_host(), right)
    assert (x.dtype, x.shape) == (right.dtype, right.shape)


def test_what_it_is(backend):
    assert isinstance(backend, Backend)
    assert isinstance(backend.xp, StandardNamespace)
    assert backend.array_types == (backend.array,)
    assert backend.scalar_types == (type(backend.asarray(1.0).native),)
    assert isinstance(backend.make_generator(0), HostGenerator)


@pytest.mark.parametrize("name", INDEXES)
def test_indexing(send, name):
    key = INDEXES[name]
    same(send(HOST)[key], HOST[key])
    for value in (-1.0, np.random.default_rng(0).random(HOST[key].shape)):
        host, array = HOST.copy(), send(HOST.copy())
        host[key] = value
        array[key] = value if isinstance(value, float) else send(value)
        same(array, host)


def test_indexing_with_its_own_arrays(send):
    same(send(HOST)[send(HOST) > 5], HOST[HOST > 5])
    same(send(HOST)[0, send(np.array([2, 0]))], HOST[0, [2, 0]])


def test_dtypes_are_numpys(backend, send):
    single, double, whole = HOST.astype("f4"), HOST, np.arange(6)
    x, y, n = map(send, (single, double, whole))
    same(x * 2, single * 2)
    same(x * y, single * double)
    same(x + y.sum(), single + np.asarray(double.sum()))
    same(np.float64(2) * x, np.float64(2) * single)
    same(n / 2, whole / 2)
    same(n * 0.5, whole * 0.5)
    same(n.mean(), whole.mean())
    same((n > 2).sum(), (whole > 2).sum())
    same(backend.xp.where(n > 2, 1, 0.5), np.where(whole > 2, 1, 0.5))
    same(backend.xp.exp(n), np.exp(whole))
    with pytest.raises(TypeError, match="float64 cannot be stored in an array of int64"):
        n += 0.5


def test_arrays_without_axes_stay_arrays(send):
    x = send(HOST)
    total = x.sum()
    total += 1.0
    total[...] = total * 2
    same(total, (HOST.sum() + 1) * 2)
    same(x[0, 0, 1], HOST[0, 0, 1])
    assert float(total) == total.item() == 554.0


@pytest.mark.parametrize(
    "wrong",
    [
        lambda x, xp: x + xp.ones(5),
        lambda x, xp: x @ xp.ones((5, 5)),
        lambda x, xp: x.reshape(5, 5),
        lambda x, xp: xp.broadcast_to(x, (3,)),
        lambda x, xp: xp.concatenate([x, xp.ones((1, 1))]),
        lambda x, xp: xp.where(x > 0, x, xp.ones(5)),
        lambda x, xp: x[:, :, :0].max(axis=2),
        lambda x, xp: x.__setitem__(0, xp.ones(5)),
    ],
)
def test_shapes_that_do_not_fit_are_a_value_error(backend, send, wrong):
    with pytest.raises(ValueError, match=r"shape|size|elements|dimension"):
        wrong(send(HOST), backend.xp)


def test_libraries_do_not_mix_in_passing(send):
    x = send(HOST)
    other = {"StrictArray": PlainArray, "PlainArray": StrictArray}[type(x).__name__]
    with pytest.raises(TypeError, match="move one to the other's device"):
        x + other.from_host(HOST)
    with pytest.raises(TypeError, match="to_host"):
        np.asarray(x)


def test_exchange(backend, send):
    x = send(HOST.copy())
    same(pickle.loads(pickle.dumps(x)), HOST)
    same(copy.deepcopy(x), HOST)
    y = backend.from_dlpack(x)
    y[0, 0, 0] = 7.0
    assert x.to_host()[0, 0, 0] == 7.0, "the memory is shared"
    assert len(x) == 2
    assert [part.shape for part in x] == [(3, 4)] * 2


def test_the_hosts_memory_is_shared_where_it_can_be(send):
    host = np.zeros(3)
    send(host)[...] = 1.0
    assert host.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("host", [HOST[:, ::-1], np.broadcast_to(1.0, (2, 2)), HOST.astype(">f8"), HOST.T])
def test_arrays_of_the_host_that_no_other_library_reads(host):
    same(StrictArray.from_host(host), host.astype("=f8"))


def test_dtypes_that_the_library_lacks():
    with pytest.raises(TypeError, match="has no arrays of <U1"):
        StrictArray.from_host(np.array(["a"]))


def test_random_numbers_are_numpys(backend):
    drawn = backend.make_generator(3).normal(1.0, 2.0, (4,))
    same(drawn, np.random.Generator(np.random.PCG64(3)).normal(1.0, 2.0, (4,)))


def test_primitives_by_way_of_what_there_is(backend, send):
    target = send(np.zeros((3, 2)))
    backend.scatter_add(target, send(np.array([0, 2, 0])), send(np.ones((3, 2))))
    same(target, [[2.0, 2.0], [0.0, 0.0], [1.0, 1.0]])
    windows = backend.sliding_windows(send(np.arange(5.0)), (2,), (2,), (2,))
    same(windows, [[0.0, 2.0], [2.0, 4.0]])
    with pytest.raises(ValueError, match=r"a window of \(6,\) does not fit into \(5,\)"):
        backend.sliding_windows(send(np.arange(5.0)), (6,), (1,), (1,))


def test_truth_values_and_small_numbers_are_counted(backend, send):
    mask = HOST > 10
    for x in (mask, np.arange(20, dtype=np.uint8).reshape(4, 5), np.arange(6, dtype=np.int16)):
        for name in ("cumsum", "cumprod"):
            same(getattr(backend.xp, name)(send(x), axis=0), getattr(np, name)(x, axis=0))
        for name in ("max", "min", "argmax", "argmin", "sum", "prod"):
            same(getattr(send(x), name)(axis=0), getattr(x, name)(axis=0))
