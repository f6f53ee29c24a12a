"""The backend's own code, with NumPy's arrays standing in for CuPy's (see fake_cupy.py)."""

import sys
import types

import numpy as np
import pytest
import scipy.special


@pytest.fixture
def backend(fake):
    from renga_backend_cupy.backend import CupyBackend

    return CupyBackend()


def test_devices_have_numbers_always(fake, backend):
    assert [backend.device_name(i) for i in range(backend.device_count())] == ["cupy:0", "cupy:1"]
    fake.state.devices = 1
    assert backend.device_name(0) == "cupy:0"
    with backend.use_device(1):
        assert fake.state.device == 1
        backend.synchronize()
    assert fake.state.log == [("synchronize", 1)]


def test_no_gpu_is_an_error_that_says_so(fake):
    from renga_backend_cupy.backend import CupyBackend

    fake.state.devices = 0
    with pytest.raises(RuntimeError, match=r"backend 'cupy' cannot be used: CuPy 14.0.0 finds no NVIDIA GPU. `renga"):
        CupyBackend()


def test_memory(backend):
    assert backend.memory_info(1) == {
        "used": 1 << 30,
        "total": 4 << 30,
        "pool_used": 10,
        "pool_total": 20,
        "pinned_free_blocks": 3,
    }


class TestTransfers:
    def test_host_arrays_and_scalars(self, fake, backend):
        x = backend.asarray(np.arange(3.0), 1)
        assert isinstance(x, fake.ndarray)
        assert backend.device_index(x) == 1
        assert backend.asarray(x, 1) is not None
        host = backend.to_host(x)
        assert type(host) is np.ndarray
        np.testing.assert_array_equal(host, [0, 1, 2])
        assert backend.asarray(1.5).shape == ()

    def test_between_devices_neither_stream_overtakes_the_copy(self, fake, backend):
        x = backend.asarray(np.arange(3.0), 0)
        y = backend.asarray(x, 1)
        assert backend.device_index(y) == 1
        np.testing.assert_array_equal(y, x)
        assert fake.state.log == [("default", "waits for", "default")] * 2

    def test_dlpack_of_the_host_is_copied(self, fake, backend):
        x = np.arange(3.0)
        y = backend.from_dlpack(x)
        assert isinstance(y, fake.ndarray)
        np.testing.assert_array_equal(y, x)


def test_generators(backend):
    g = backend.make_generator(3)
    backend.set_generator_state(g, {**backend.generator_state(g), "position": 7})
    assert backend.generator_state(g)["position"] == 7


def test_scatter_add_counts_repeated_indexes(backend):
    target = backend.asarray(np.zeros((3, 2)))
    assert backend.scatter_add(target, np.array([0, 2, 0]), np.ones((3, 2))) is None
    np.testing.assert_array_equal(target, [[2, 2], [0, 0], [1, 1]])


def test_sliding_windows(backend):
    x = backend.asarray(np.arange(20.0).reshape(2, 10))
    windows = backend.sliding_windows(x, (3,), (2,), (2,))
    np.testing.assert_array_equal(windows[1, 2], [14, 16, 18])
    assert windows.shape == (2, 3, 3)
    with pytest.raises(ValueError, match=r"a window of \(11,\) does not fit into \(10,\)"):
        backend.sliding_windows(x, (11,), (1,), (1,))


class TestSpecialFunctions:
    @pytest.fixture(autouse=True)
    def cupyx(self, fake, monkeypatch):
        """`cupyx.scipy.special` with two functions, of which one takes arrays only."""

        def polygamma(n, x):
            assert n.shape == ()
            return scipy.special.polygamma(np.asarray(n), np.asarray(x)).view(fake.ndarray)

        module = types.ModuleType("cupyx.scipy.special")
        module.erf = lambda x: scipy.special.erf(np.asarray(x)).astype(np.float32).view(fake.ndarray)
        module.polygamma = polygamma
        module._erf = types.ModuleType("cupyx.scipy.special._erf")
        inner = types.ModuleType("cupyx.scipy")
        inner.special = module
        monkeypatch.setattr(sys.modules["cupyx"], "scipy", inner, raising=False)
        monkeypatch.setitem(sys.modules, "cupyx.scipy", inner)
        monkeypatch.setitem(sys.modules, "cupyx.scipy.special", module)

    @pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
    def test_cupys_own(self, fake, backend, dtype):
        x = backend.asarray(np.array([0.25, 0.5], dtype), 0)
        for y, right in (
            (backend.special("erf")(x), scipy.special.erf([0.25, 0.5])),
            (backend.special("polygamma")(1, x), scipy.special.polygamma(1, [0.25, 0.5])),
        ):
            assert isinstance(y, fake.ndarray)
            assert y.dtype == dtype
            np.testing.assert_allclose(np.asarray(y), right, rtol=2e-3 if dtype == "float16" else 1e-6)

    def test_by_way_of_the_host_what_cupy_has_not(self, fake, backend):
        y = backend.special("log_ndtr")(backend.asarray(np.array([-1.0], np.float32), 1))
        assert isinstance(y, fake.ndarray)
        assert (backend.device_index(y), y.dtype) == (1, np.float32)
        np.testing.assert_allclose(np.asarray(y), scipy.special.log_ndtr([-1.0]), rtol=1e-6)

    @pytest.mark.parametrize("name", ["_erf", "erff"])
    def test_a_name_that_is_no_functions(self, backend, name):
        with pytest.raises(ValueError, match="has no function"):
            backend.special(name)


def test_prefetch_uploads_ahead_and_in_order(fake):
    from renga_backend_cupy.transfers import prefetch

    taken = []

    def batches():
        for n in range(4):
            taken.append(n)
            yield np.full(2, n), np.array([n])

    seen = []
    for x, t in prefetch(batches(), index=1):
        assert len(taken) == min(len(seen) + 2, 4)
        assert x.device.id == 1
        seen.append((int(x[0]), int(t[0])))
    assert seen == [(n, n) for n in range(4)]
    copying = next(name for name, *_ in fake.state.log if name != "default")
    assert fake.state.log.count((copying, "waits for", "default")) == 4
    assert fake.state.log.count(("default", "waits for", copying)) == 4
    assert fake.state.device == 0
    with pytest.raises(ValueError, match="ahead is 0"):
        next(prefetch(batches(), ahead=0))


def test_pinned_arrays_may_be_changed_after_an_upload(fake, backend):
    """CuPy reads them while the program goes on; the stand-in's `asarray` shares their memory, which is no better."""
    from renga_backend_cupy.transfers import upload

    x = np.ndarray((2, 3), buffer=fake.PinnedMemoryPointer(48))
    x[...] = 1
    for made in (backend.asarray(x), backend.asarray(x[:, 1:]), upload(x.T)()):
        x[...] = 2
        np.testing.assert_array_equal(made, 1)
        x[...] = 1


def test_what_is_fetched_may_be_changed(fake, backend):
    """By what is queued next, while the copy runs on a stream of its own."""
    from renga_backend_cupy.transfers import fetch

    x = backend.asarray(np.ones(3))
    assert not np.shares_memory(fetch(x)._source, x)


def test_fetch(fake, backend):
    from renga_backend_cupy.transfers import fetch

    x = backend.asarray(np.arange(6.0)).reshape(2, 3).T
    fetched = fetch(x)
    assert fetched.done()
    np.testing.assert_array_equal(fetched.get(), x)
    assert type(fetched.get()) is np.ndarray
