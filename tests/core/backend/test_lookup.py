import threading

import numpy as np
import pytest

from renga_core.backend import (
    Backend,
    Device,
    as_array_of,
    backend_name,
    default_device,
    device_names,
    get_array_module,
    get_backend,
    get_device,
    get_device_of,
    lookup,
    to_host,
    using_device,
)
from renga_core.graph import Variable
from renga_core.plugin import PluginManager, Provider, ProviderUnavailable, UnknownProvider, hookimpl, using_manager
from renga_core.settings import using


@pytest.fixture
def fresh():
    """Nothing has been looked up yet."""
    tables = [lookup.array_types, lookup._scalar_types, lookup._backends, lookup._names]
    before = [dict(table) for table in tables]
    for table in tables:
        table.clear()
    yield
    for table, known in zip(tables, before, strict=True):
        table.clear()
        table.update(known)


class Mine(np.ndarray):
    """An array of NumPy's of another type."""


class Toy(np.ndarray):
    """The array type of a made-up library with two devices."""


class ToyBackend(type(get_backend("numpy"))):
    name = "toy"
    array_types = (Toy,)
    scalar_types = ()
    current = 0

    def device_count(self):
        return 2

    def device_index(self, array):
        return getattr(array, "index", 0)

    def use_device(self, index):
        backend = self

        class Use:
            def __enter__(self):
                self.before, backend.current = backend.current, index

            def __exit__(self, *error):
                backend.current = self.before

        return Use()

    def asarray(self, value, index=0):
        made = np.array(value).view(Toy)
        made.index = index
        return made

    def to_host(self, array):
        return np.array(array)


made = []


def make_toy():
    made.append(ToyBackend())
    return made[-1]


class ToyPlugin:
    """Offers `toy`, made by a function rather than a class."""

    @hookimpl
    def renga_array_backends(self):
        return [Provider(name="toy", target=f"{__name__}:make_toy", revision=1, summary="for a test", needs=(HERE,))]


def no_toy():
    return "there is no toy here"


class ProbedPlugin:
    """Offers `toy` to another machine."""

    @hookimpl
    def renga_array_backends(self):
        return [Provider("toy", f"{__name__}:make_toy", 1, "for a test", probe=f"{__name__}:no_toy")]


HERE = __name__.partition(".")[0]


@pytest.fixture
def toy(fresh):
    manager = PluginManager()
    manager.register("toy_plugin", ToyPlugin())
    made.clear()
    with using_manager(manager):
        yield


class TestGetBackend:
    def test_by_name_and_by_array(self):
        numpy = get_backend("numpy")
        assert isinstance(numpy, Backend)
        assert get_backend("numpy:numpy") is numpy
        assert get_backend(np.ones(2)) is numpy
        assert get_backend(np.float64(2)) is numpy
        assert get_backend(np.bool_(True)) is numpy

    def test_of_a_subclass(self, tmp_path):
        class Mine(np.ndarray):
            pass

        mapped = np.memmap(tmp_path / "x", dtype=np.float32, mode="w+", shape=(3,))
        for array in (mapped, np.ones(2).view(Mine)):
            assert get_backend(array) is get_backend("numpy")
            assert lookup.array_types[type(array)] is get_backend("numpy")
            assert as_array_of(get_backend("numpy"), array) is array

    def test_of_the_first_array_ever(self, fresh):
        assert get_backend(np.ones(2)).name == "numpy"

    def test_of_a_name_that_nobody_offers(self):
        with pytest.raises(UnknownProvider) as caught:
            get_backend("nunpy")
        assert str(caught.value).startswith("no array_backend named 'nunpy' (from argument). Did you mean 'numpy'?")

    def test_of_something_else(self):
        class Strange:
            pass

        for wrong in (Strange(), [1.0], 2.0, None):
            with pytest.raises(TypeError) as caught:
                get_backend(wrong)
            kind = type(wrong)
            assert str(caught.value).startswith(
                f"{kind.__module__}.{kind.__qualname__} is not an array of any backend; known array types: "
            )
            assert "numpy.ndarray" in str(caught.value)

    def test_an_installed_one_is_made_once_by_whatever_name(self, toy):
        assert get_backend("toy") is get_backend("toy_plugin:toy") is made[0]
        assert len(made) == 1
        assert get_backend(made[0].asarray([1.0])) is made[0]

    def test_the_first_array_of_a_new_type_asks_the_plugins(self, toy):
        array = np.ones(2).view(Toy)
        assert get_backend(array).name == "toy"
        assert get_array_module(array) is np

    def test_a_name_is_asked_for_anew_when_settings_change(self, toy):
        assert get_backend("toy").name == "toy"
        with using({"plugins.disable": ["toy_plugin"]}), pytest.raises(UnknownProvider):
            get_backend("toy")
        assert get_backend("toy") is made[0]

    def test_the_probe_says_why_it_cannot_be_used(self, fresh):
        manager = PluginManager()
        manager.register("toy_plugin", ProbedPlugin())
        made.clear()
        with using_manager(manager):
            for ask in (get_backend, get_device):
                with pytest.raises(ProviderUnavailable, match=r"'toy'.* is not available: there is no toy here"):
                    ask("toy")
        assert made == []

    def test_with_no_backend_at_all(self, fresh):
        with using_manager(PluginManager(entry_points=tuple)):
            with pytest.raises(UnknownProvider) as unknown:
                get_backend("numpy")
            with pytest.raises(TypeError) as caught:
                Variable(np.ones(2))
        assert str(unknown.value) == (
            "no array_backend is installed; 'numpy' (from argument) was asked for.\n"
            "Next: install Renga: pip install . in its folder"
        )
        assert str(caught.value) == (
            "numpy.ndarray is not an array of any backend; no backend is loaded. `renga plugins list` shows what is "
            "installed. Next: install Renga: pip install . in its folder"
        )


class TestGetArrayModule:
    def test_of_the_first_array(self):
        assert get_array_module(np.ones(2)) is np
        assert get_array_module(Variable(np.ones(2))) is np
        assert get_array_module(2.0, None, np.ones(2)) is np
        assert get_array_module(np.float32(1)) is np

    def test_of_none(self):
        assert get_array_module() is np
        assert get_array_module(2.0) is np


class TestGetDevice:
    @pytest.mark.parametrize("spec", ["numpy", "@numpy", "numpy:0", "@numpy:0", "numpy:numpy", "numpy:numpy:0"])
    def test_strings(self, spec):
        device = get_device(spec)
        assert (device.name, str(device), repr(device), device.index) == ("numpy", "numpy", "<Device numpy>", 0)
        assert device.xp is np
        assert device == get_device("numpy")
        assert hash(device) == hash(get_device("numpy"))
        assert get_device(device) is device

    def test_arrays(self):
        assert get_device(np.ones(2)) == get_device_of(Variable(np.ones(2))) == get_device("numpy")
        assert get_device("numpy") != "numpy"

    def test_no_such_device(self):
        with pytest.raises(ValueError, match=r"^no device '@numpy:1': backend 'numpy' has 1 device: numpy$"):
            get_device("@numpy:1")

    @pytest.mark.parametrize("spec", ["numpy:", "numpy:-1", "numpy:1.5", "numpy:²"])
    def test_an_index_that_is_no_number(self, spec):
        with pytest.raises(ValueError, match="the index after the colon must be a number") as caught:
            get_device(spec)
        assert str(caught.value) == f"device '{spec}': the index after the colon must be a number, as in 'numpy:0'"

    @pytest.mark.parametrize("spec", ["nunpy", "nunpy:0", "@nunpy:0"])
    def test_no_such_backend(self, spec):
        with pytest.raises(UnknownProvider, match="no array_backend named 'nunpy'") as caught:
            get_device(spec)
        assert caught.value.__context__ is None  # one error, not a chain of attempts

    def test_neither_string_nor_array(self):
        with pytest.raises(TypeError, match=r"^builtins\.float is not an array of any backend"):
            get_device(0.5)
        with pytest.raises(TypeError, match=r"^a device needs a name, such as 'numpy' or 'cupy:0', not a number: -1$"):
            get_device(-1)

    def test_devices_with_words_for_names(self, toy):
        backend = get_backend("toy")
        backend.device_name = lambda index: ("toy:left", "toy:right")[index]
        for spec in ("toy:right", "@toy:right", "toy:1", "toy_plugin:toy:right", "toy_plugin:toy:1"):
            assert (get_device(spec).name, get_device(spec).index) == ("toy:right", 1)
            assert backend_name(spec) == spec.removeprefix("@").rpartition(":")[0]
        assert get_device("toy") == get_device("toy_plugin:toy") == get_device("toy:left")
        assert backend_name("toy_plugin:toy") == "toy_plugin:toy"
        with pytest.raises(ValueError, match=r"^no device 'toy:up': backend 'toy' has 2 devices: toy:left, toy:right$"):
            get_device("toy:up")
        with pytest.raises(UnknownProvider, match="no array_backend named 'toy_plugin:tow'"):
            get_device("toy_plugin:tow")

    def test_several_devices(self, toy):
        first, second = get_device("toy:0"), get_device("toy:1")
        assert (first.name, second.name) == ("toy:0", "toy:1")
        assert first != second
        assert get_device("toy") == first
        with pytest.raises(ValueError, match=r"no device 'toy:2': backend 'toy' has 2 devices: toy:0, toy:1"):
            get_device("toy:2")


class TestSending:
    def test_to_where_it_is(self):
        array = np.ones(2)
        assert get_device("numpy").send(array) is array

    def test_between_devices_and_backends(self, toy):
        host = np.arange(3.0)
        first, second, numpy = get_device("toy:0"), get_device("toy:1"), get_device("numpy")
        there = second.send(host)
        assert type(there) is Toy
        assert get_device_of(there) == second
        moved = first.send(there)
        assert get_device_of(moved) == first
        back = numpy.send(moved)
        assert type(back) is np.ndarray
        np.testing.assert_array_equal(back, host)

    def test_to_host(self):
        array = np.ones(2)
        assert to_host(array) is array
        assert to_host(Variable(array)) is array
        matrix = np.ones((2, 2)).view(Mine)
        assert type(to_host(matrix)) is type(to_host(Variable(matrix))) is np.ndarray
        assert np.shares_memory(to_host(matrix), matrix)
        for scalar in (2.0, np.float32(2), True):
            assert to_host(scalar) == scalar
            assert isinstance(to_host(scalar), np.ndarray)


class TestUsingDevice:
    def test_nests_and_belongs_to_the_thread(self, toy):
        backend = get_backend("toy")
        assert default_device() == get_device("numpy")
        elsewhere = []
        with using_device("toy:1") as device:
            assert isinstance(device, Device)
            assert default_device() == device
            assert backend.current == 1
            with pytest.raises(ZeroDivisionError), using_device("numpy"):
                default_device().index / 0
            assert default_device() == device
            thread = threading.Thread(target=lambda: elsewhere.append(default_device().name))
            thread.start()
            thread.join()
        assert elsewhere == ["numpy"]
        assert backend.current == 0
        assert default_device().name == "numpy"


def test_layers_for_other_frameworks_may_name_devices_otherwise(monkeypatch):
    with pytest.raises(TypeError, match="needs a name"):
        get_device(-1)
    monkeypatch.setitem(device_names, int, lambda number: "numpy" if number < 0 else f"numpy:{number}")
    assert get_device(-1) == get_device("numpy")
    with pytest.raises(ValueError, match="numpy:7"):
        get_device(7)
