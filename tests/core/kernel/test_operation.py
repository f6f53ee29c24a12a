"""Operations and their chains of kernels, from real registrations with a manager of the test's own."""

import sys
import threading
import types

import numpy as np
import pytest

from renga_core.backend import get_backend
from renga_core.kernel import Operation, operations
from renga_core.plugin import (
    Kernel,
    PluginManager,
    Provider,
    ProviderFaulty,
    ProviderUnavailable,
    RengaPluginWarning,
    UnknownProvider,
    hookimpl,
    using_manager,
)
from renga_core.settings import UnknownSetting, using


def doubler(name):
    """A kernel: an object with `forward` and `backward`."""
    return types.SimpleNamespace(
        forward=lambda x: (name, None), backward=lambda kept, gy: name, supports=lambda x: x.size > 2
    )


@pytest.fixture
def module(monkeypatch):
    """A module to hold kernels."""
    made = types.ModuleType("kernels_for_a_test")
    made.fast, made.faster, made.other = doubler("fast"), doubler("faster"), doubler("other")
    made.large_only = lambda x: x.size > 2
    made.never = lambda x: False
    made.without = object()
    made.forward_only = types.SimpleNamespace(forward=lambda x: ("forward_only", None))
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def kernel(target="fast", *, op="double", name=None, **more):
    return Kernel(op=op, backend="numpy", target=f"kernels_for_a_test:{target}", name=name or target, **more)


class Plugin:
    def __init__(self, *kernels):
        self.kernels = kernels

    @hookimpl
    def renga_kernels(self):
        return list(self.kernels)


@pytest.fixture
def manager(module):
    manager = PluginManager()
    with using_manager(manager):
        yield manager


@pytest.fixture
def operation():
    made = Operation("double", lambda x: ("reference", None), lambda kept, gy: "reference")
    yield made
    del operations["double"]


SMALL, LARGE = np.ones(2), np.ones(3)


def names(operation):
    return [implementation.name for implementation in operation.chain(get_backend("numpy"))]


def used(operation, x=LARGE):
    return operation.select(get_backend("numpy"), x).forward(x)[0]


def test_with_no_kernel_the_reference_serves(operation, manager):
    implementation = operation.select(get_backend("numpy"), LARGE)
    assert implementation is operation.reference
    assert (implementation.name, implementation.backward(None, None)) == ("reference", "reference")
    assert operations["double"] is operation


def test_the_highest_priority_first(operation, manager):
    manager.register("mine", Plugin(kernel("fast", priority=10), kernel("faster", priority=20)))
    manager.register("also", Plugin(kernel("other", priority=15)))
    assert names(operation) == ["mine:faster", "also:other", "mine:fast", "reference"]
    assert used(operation) == "faster"
    assert operation.select(get_backend("numpy"), LARGE).backward(None, None) == "faster"


def test_equal_priorities_go_by_name_not_by_luck(operation, manager):
    manager.register("b", Plugin(kernel("fast")))
    manager.register("a", Plugin(kernel("faster")))
    assert names(operation) == ["a:faster", "b:fast", "reference"]


def test_one_that_does_not_support_the_arguments_is_passed_over(operation, manager):
    large_only, never = "kernels_for_a_test:large_only", "kernels_for_a_test:never"
    manager.register(
        "mine",
        Plugin(kernel("faster", priority=3, supports=never), kernel("fast", priority=2, supports=large_only)),
    )
    assert used(operation, LARGE) == "fast"
    assert used(operation, SMALL) == "reference"


def test_kernels_of_other_operations_and_backends_are_not_ours(operation, manager):
    foreign = Kernel(op="double", backend="cupy", target="kernels_for_a_test:fast", name="foreign")
    manager.register("mine", Plugin(kernel("fast", op="triple"), foreign))
    assert names(operation) == ["reference"]


def test_one_that_cannot_be_imported_is_left_out_with_a_warning(operation, manager):
    manager.register("mine", Plugin(kernel("nowhere", priority=2), kernel("without", priority=1), kernel("fast")))
    with pytest.warns(RengaPluginWarning) as told:
        assert used(operation) == "fast"
    assert [str(w.message).partition(": ")[0] for w in told] == [
        "kernel mine:nowhere is left out",
        "kernel mine:without is left out",
    ]
    assert used(operation) == "fast"  # and the warning comes once


def test_one_that_needs_what_is_not_there_is_left_out(operation, manager):
    manager.register("mine", Plugin(kernel("faster", priority=5, needs=("no_such_module",)), kernel("fast")))
    assert names(operation) == ["mine:fast", "reference"]


def test_one_without_the_backward_that_the_operation_has_is_left_out(operation, manager):
    manager.register("mine", Plugin(kernel("forward_only", priority=5), kernel("fast")))
    with pytest.warns(RengaPluginWarning, match=r"mine:forward_only .*has no backward, but operation 'double' needs"):
        assert used(operation) == "fast"
    with using({"kernels.double": "forward_only"}), pytest.raises(ProviderFaulty, match="has no backward"):
        used(operation)


class TestDemand:
    """``[kernels] double = …``: used, or an error."""

    @pytest.fixture(autouse=True)
    def kernels(self, manager):
        manager.register("mine", Plugin(kernel("fast", priority=10), kernel("faster", priority=20)))
        manager.register(
            "also",
            Plugin(
                kernel("other", supports="kernels_for_a_test:large_only"),
                kernel("nowhere", priority=-1),
                kernel("lacking", needs=("no_such_module",)),
                kernel("of_another", op="triple"),
            ),
        )

    @pytest.mark.parametrize(
        ("demand", "expected"),
        [
            ("reference", ["reference"]),
            ("fast", ["mine:fast"]),
            ("also:other", ["also:other"]),
            ("mine", ["mine:faster", "mine:fast"]),
        ],
    )
    def test_it_is_used_alone(self, operation, demand, expected):
        with using({"kernels.double": demand}):
            assert names(operation) == expected

    def test_that_does_not_support_the_arguments(self, operation):
        with using({"kernels.double": "other"}):
            assert used(operation, LARGE) == "other"
            with pytest.raises(RuntimeError) as caught:
                used(operation, SMALL)
        assert str(caught.value) == (
            "operation 'double': kernel 'also:other' is required (setting kernels.double) but does not support these "
            "arguments on backend 'numpy'. Remove the setting, or set it to 'reference'."
        )

    @pytest.mark.parametrize(
        ("demand", "error", "text"),
        [
            (
                "fastt",
                UnknownProvider,
                "that is not a kernel of operation 'double' for backend 'numpy'. Did you mean 'fast'",
            ),
            ("refrence", UnknownProvider, "Did you mean 'reference'?"),
            ("nowhere", ProviderFaulty, "kernel 'also:nowhere' (from renga.using)"),
            ("lacking", ProviderUnavailable, "module 'no_such_module' is not installed"),
            ("of_another", UnknownProvider, "that is not a kernel of operation 'double' for backend 'numpy'. Known: "),
        ],
    )
    def test_that_cannot_be_had(self, operation, demand, error, text):
        with using({"kernels.double": demand}), pytest.raises(error) as caught:
            used(operation)
        assert text in str(caught.value)


class TestADemandForNothing:
    """Settings are read when a chain is built: what they misspell is said then, whatever the operation."""

    def test_a_misspelt_operation(self, operation):
        with using({"kernels.dubble": "reference"}), pytest.raises(UnknownSetting) as caught:
            used(operation)
        assert str(caught.value).startswith(
            "unknown key 'kernels.dubble' (from renga.using). Did you mean 'kernels.double'? Known: "
        )

    def test_an_operation_whose_module_is_not_imported_yet(self, operation, manager, module, monkeypatch):
        monkeypatch.delitem(operations, "later", raising=False)

        def __getattr__(name):
            Operation("later", lambda x: (x, None))
            return len

        monkeypatch.setattr(module, "__getattr__", __getattr__, raising=False)
        functions = [Provider("late", "kernels_for_a_test:late", 1, "imported when it is asked for")]
        hook = hookimpl(lambda: functions)
        manager.register("late", types.SimpleNamespace(renga_functions=hook))
        with using({"kernels.later": "reference"}):
            assert used(operation) == "reference"
        assert operations.pop("later")

    def test_an_operation_that_only_a_kernel_names(self, operation, manager):
        manager.register("mine", Plugin(kernel("fast", op="of_the_future")))
        with using({"kernels.of_the_future": "mine"}):
            assert used(operation) == "reference"

    def test_a_disabled_plugin(self, operation, manager):
        manager.register("mine", Plugin(kernel("fast")))
        settings = {"kernels.double": "mine", "plugins.disable": ["mine"]}
        with using(settings), pytest.raises(ProviderUnavailable) as caught:
            used(operation)
        assert "'mine' (from renga.using) cannot be used" in str(caught.value)
        assert "is disabled: 'mine' is in plugins.disable (renga.using)" in str(caught.value)


class TestChanges:
    """A chain is built once, and anew when plugins or settings change."""

    def test_it_is_kept(self, operation, manager, monkeypatch):
        used(operation)
        monkeypatch.setattr(operation, "chain", lambda backend: pytest.fail("built again"))
        used(operation)

    def test_when_a_plugin_comes(self, operation, manager):
        assert used(operation) == "reference"
        manager.register("mine", Plugin(kernel("fast")))
        assert used(operation) == "fast"

    def test_when_a_setting_changes_and_changes_back(self, operation, manager):
        manager.register("mine", Plugin(kernel("fast"), kernel("faster", priority=5)))
        assert used(operation) == "faster"
        with using({"kernels.double": "fast"}):
            assert used(operation) == "fast"
            with using({"kernels.double": "reference"}):
                assert used(operation) == "reference"
            assert used(operation) == "fast"
        with using({"plugins.disable": ["mine:faster"]}):
            assert used(operation) == "fast"
        assert used(operation) == "faster"

    def test_a_setting_of_one_thread_does_not_reach_another(self, operation, manager):
        manager.register("mine", Plugin(kernel("fast")))
        found = []
        with using({"kernels.double": "reference"}):
            assert used(operation) == "reference"
            thread = threading.Thread(target=lambda: found.append(used(operation)))
            thread.start()
            thread.join()
            assert used(operation) == "reference"
        assert found == ["fast"]

    def test_when_another_manager_takes_over(self, operation, manager):
        manager.register("mine", Plugin(kernel("fast")))
        assert used(operation) == "fast"
        with using_manager(PluginManager()):
            assert used(operation) == "reference"
        assert used(operation) == "fast"

    def test_forget(self, operation, manager, monkeypatch):
        used(operation)
        monkeypatch.setattr(operation, "chain", lambda backend: (operation.reference,) * 2)
        operation.forget()
        used(operation)
        assert len(operation._chosen[get_backend("numpy")][1]) == 2
