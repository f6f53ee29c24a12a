import json
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_backend_numpy.special import special
from renga_core.backend import Backend, get_backend
from renga_core.errors import RengaError

BACKEND = get_backend("numpy")


def test_what_it_says_of_itself():
    assert isinstance(BACKEND, Backend)
    assert BACKEND.name == "numpy"
    assert BACKEND.xp is np
    assert BACKEND.device_count() == 1
    assert BACKEND.device_name(0) == "numpy"
    assert BACKEND.device_index(np.ones(2)) == 0
    with BACKEND.use_device(0):
        BACKEND.synchronize()


class TestTransfers:
    def test_arrays_are_not_copied(self, tmp_path):
        array = np.ones(2)
        assert BACKEND.asarray(array) is array
        assert BACKEND.to_host(array) is array
        mapped = np.memmap(tmp_path / "x", dtype=np.float32, mode="w+", shape=(3,))
        assert np.shares_memory(BACKEND.to_host(mapped), mapped)

    def test_scalars_become_arrays(self):
        assert type(BACKEND.asarray(np.float32(2))) is np.ndarray
        assert BACKEND.asarray(np.float32(2)).dtype == np.float32

    def test_dlpack_shares_memory(self):
        array = np.arange(3.0)
        assert np.shares_memory(BACKEND.from_dlpack(array), array)

    @pytest.mark.torch
    def test_dlpack_of_pytorch(self):
        torch = pytest.importorskip("torch")
        theirs = torch.arange(3.0)
        mine = BACKEND.from_dlpack(theirs)
        mine[0] = 7
        assert theirs[0] == 7

    def test_assign_writes_in_place(self):
        target = np.zeros(3, np.float32)
        BACKEND.assign(target, np.array([1.0, 2.0, 3.0]))
        np.testing.assert_array_equal(target, [1, 2, 3])


class TestScatterAdd:
    """Few values go to `numpy.add.at` as they are, many by way of numbered places: the sums have the same bits."""

    rng = np.random.default_rng(0)
    rows = rng.integers(-7, 7, 600)
    INDEXES = {
        "rows": rows,
        "a row": -2,
        "a list": rows.tolist(),
        "rows in a tuple": (rows,),
        "rows of rows": rows.reshape(20, 30),
        "pairs": (rows, rng.integers(0, 5, 600)),
        "elements": (rows, rng.integers(0, 5, 600), rng.integers(0, 100, 600)),
        "a row of each": (rows, 2),
        "broadcast": (rows[:20, None], rng.integers(0, 5, 30)),
        "a slice between": (rows, slice(1, 4), rng.integers(0, 100, 600)),
        "dots": (..., rng.integers(0, 100, 600)),
        "a new axis": (None, rows),
        "a mask": rng.random((7, 5)) < 0.5,
        "none": np.zeros(0, int),
    }

    @pytest.mark.parametrize("name", INDEXES)
    @pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
    def test_sums(self, name, dtype):
        index = self.INDEXES[name]
        right = self.rng.standard_normal((7, 5, 100)).astype(dtype)
        target = right.copy()
        values = self.rng.standard_normal(right[index].shape).astype(dtype)
        np.add.at(right, index, values)
        BACKEND.scatter_add(target, index, values)
        np.testing.assert_array_equal(target, right)

    def test_values_broadcast(self):
        right, target = np.zeros((7, 200)), np.zeros((7, 200))
        values = np.arange(600.0)[:, None]
        np.add.at(right, self.rows, values)
        BACKEND.scatter_add(target, self.rows, values)
        np.testing.assert_array_equal(target, right)

    def test_a_target_that_lies_otherwise(self):
        right, target = np.zeros((200, 7)).T, np.zeros((200, 7)).T
        values = self.rng.random((600, 200))
        np.add.at(right, self.rows, values)
        BACKEND.scatter_add(target, self.rows, values)
        np.testing.assert_array_equal(target, right)

    @pytest.mark.parametrize(
        ("index", "shape", "error"), [(rows + 9, (600, 200), IndexError), (rows, (600, 9), ValueError)]
    )
    def test_what_does_not_fit_changes_nothing(self, index, shape, error):
        target = np.zeros((7, 200))
        with pytest.raises(error):
            BACKEND.scatter_add(target, index, np.ones(shape))
        assert not target.any()


class TestGenerators:
    def test_seeds(self):
        a, b, c = (BACKEND.make_generator(seed) for seed in (1, 1, 2))
        numbers = a.random(5)
        np.testing.assert_array_equal(b.random(5), numbers)
        assert not np.array_equal(c.random(5), numbers)

    def test_state_round_trip_through_json(self):
        generator = BACKEND.make_generator(1)
        generator.integers(0, 10, 3, dtype=np.uint8)  # leaves half a word behind
        state = json.loads(json.dumps(BACKEND.generator_state(generator)))
        numbers = generator.random(5, dtype=np.float32)
        other = BACKEND.make_generator(0)
        BACKEND.set_generator_state(other, state)
        np.testing.assert_array_equal(other.random(5, dtype=np.float32), numbers)

    def test_what_is_asked_of_it(self):
        generator = BACKEND.make_generator(1)
        assert generator.random((2, 3), dtype=np.float32).dtype == np.float32
        assert generator.uniform(-1, 1, (2,)).shape == generator.normal(0, 1, (2,)).shape == (2,)
        assert generator.standard_normal((2,)).shape == (2,)
        assert sorted(generator.permutation(4)) == [0, 1, 2, 3]
        assert generator.integers(0, 2, 5).max() < 2


def test_scatter_add_counts_repeated_indexes():
    target = np.zeros((3, 2))
    BACKEND.scatter_add(target, np.array([0, 2, 0]), np.ones((3, 2)))
    np.testing.assert_array_equal(target, [[2, 2], [0, 0], [1, 1]])


@given(
    st.data(),
    st.lists(
        st.tuples(st.integers(1, 9), st.integers(1, 4), st.integers(1, 3), st.integers(1, 3)), min_size=1, max_size=3
    ),
    st.booleans(),
)
def test_sliding_windows_by_their_definition(data, axes, transposed):
    sizes, window, stride, dilation = zip(*axes, strict=True)
    lead = data.draw(st.sampled_from([(), (2,), (1, 2)]))
    x = np.arange(np.prod((*lead, *sizes))).reshape((*lead, *sizes))
    if transposed:
        x = np.ascontiguousarray(x.T).T
    outputs = tuple((n - d * (k - 1) - 1) // s + 1 for n, k, s, d in axes)
    if min(outputs) < 1:
        with pytest.raises(ValueError, match="does not fit") as caught:
            BACKEND.sliding_windows(x, window, stride, dilation)
        assert str(caught.value) == f"a window of {window} does not fit into {sizes}"
        return
    windows = BACKEND.sliding_windows(x, window, stride, dilation)
    assert windows.shape == (*lead, *outputs, *window)
    assert not windows.flags.writeable
    for index in np.ndindex(*outputs, *window):
        place, offset = index[: len(window)], index[len(window) :]
        source = tuple(p * s + o * d for p, s, o, d in zip(place, stride, offset, dilation, strict=True))
        np.testing.assert_array_equal(windows[(..., *index)], x[(..., *source)])


def test_sliding_windows_are_a_view():
    x = np.zeros((1, 5))
    windows = BACKEND.sliding_windows(x, (3,), (1,), (1,))
    x[0, 2] = 1
    assert windows.sum() == 3


class TestSpecialFunctions:
    def test_the_dtype_is_that_of_floating_arrays(self):
        x = np.ones(2, np.float16)
        assert BACKEND.special("erf")(x).dtype == np.float16
        assert BACKEND.special("polygamma")(2, x).dtype == np.float16
        assert BACKEND.special("polygamma")(np.arange(2), x).dtype == np.float16
        assert BACKEND.special("betaln")(x, np.float32(2)).dtype == np.float32
        assert BACKEND.special("erf")(np.arange(3)).dtype == np.float64
        assert type(BACKEND.special("erf")(0.5)) is np.ndarray

    @pytest.mark.parametrize("name", ["erff", "errstate", "SpecialFunctionError", "_ufuncs"])
    def test_a_name_that_is_no_functions(self, name):
        with pytest.raises(ValueError, match=f"scipy.special has no function '{name}'"):
            BACKEND.special(name)

    def test_the_nearest_name_is_told(self):
        with pytest.raises(ValueError, match="Did you mean 'erf'"):
            BACKEND.special("erff")

    @pytest.mark.parametrize("backend", ["numpy", "another"])
    def test_without_scipy(self, backend, monkeypatch):
        for name in ("scipy", "scipy.special"):
            monkeypatch.setitem(sys.modules, name, None)
        asked = BACKEND if backend == "numpy" else Another()
        special.cache_clear()
        with pytest.raises(RengaError) as caught:
            asked.special("erfcx")
        assert str(caught.value).startswith("special function 'erfcx' needs SciPy; its import failed: ")
        assert str(caught.value).endswith(" Next: pip install 'renga[scipy]'")

    def test_other_backends_send_to_the_host_and_back(self):
        erf = Another().special("erf")
        y = erf(Mine(np.array([0.5], np.float32)))
        assert isinstance(y, Mine)
        np.testing.assert_allclose(y.host, [0.5204999], rtol=1e-6)
        assert (y.index, y.host.dtype) == (3, np.float32)


class Mine:
    """An array of a library that NumPy knows nothing of, on its fourth device."""

    def __init__(self, host, index=3):
        self.host, self.index = host, index


class Another(type(BACKEND)):
    name = "another"
    array_types = (Mine,)
    special = Backend.special

    def asarray(self, value, index=0):
        return Mine(value, index)

    def to_host(self, array):
        return array.host

    def device_index(self, array):
        return array.index
