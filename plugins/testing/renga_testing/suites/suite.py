"""`Suite` and `ProviderSuite`: common base of all kits.

A kit is a class with one test for each property. Four rules keep it honest:

- A test is skipped only because it needs a capability that the provider does not declare (`needs`). Any other skip is
  a failure, and a kit's test cannot be overridden.
- A declared capability that no test of the kit needs is a failure: nothing would show that it is true.
- No test changes global state of the program (`global_state`).
- Known failures are listed in `Suite.xfails` with a reason. Such a test must fail: if it passes, the kit fails, and so
  does an entry that names no test.

The numbers of declared, checked and skipped tests are printed (`outcome_counts`).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import pytest

from renga_core import random
from renga_core.backend import Device, get_device
from renga_core.kinds import ARRAY_BACKEND
from renga_core.plugin import Kind, Offer, Registry, get_manager, registry
from renga_core.plugin.state import State, describe_error, pass_interrupt
from renga_testing.function_suite import ready_backends
from renga_testing.suites.global_state import changes, look, restore, start_random
from renga_testing.suites.outcome_counts import SKIPPED_BY_KIT, OutcomeCounts

__all__ = ["ProviderSuite", "Suite", "classes_for", "needs", "suite_of"]

F = TypeVar("F", bound=Callable[..., Any])

_NEEDS = "_renga_needs"
_PARAMETERS = pytest.StashKey[dict[type, dict[str, list[Any]]]]()


def needs(*capabilities: str) -> Callable[[F], F]:
    """Run a test of a kit only for providers that declare these capabilities."""

    def mark(test: F) -> F:
        setattr(test, _NEEDS, frozenset(capabilities))
        return test

    return mark


class Suite:
    """A conformance kit: one test for each property.

    Attributes:
        extras: The capabilities that may be declared, and what each means.
        xfails: Tests that are known to fail, by name (``test_permutation``, or ``test_round_trip[float16]`` for one of
            several), each with the reason.
    """

    # A problem in another plugin is reported, but does not fail this plugin's tests.
    pytestmark = pytest.mark.filterwarnings("default::renga_core.plugin.RengaPluginWarning")
    extras: ClassVar[Mapping[str, str]] = {}
    xfails: ClassVar[Mapping[str, str]] = {}

    @property
    def label(self) -> str:
        """Name of the tested object, for messages."""
        raise NotImplementedError

    @property
    def declared(self) -> frozenset[str]:
        """The capabilities that the tested object declares."""
        return frozenset()

    @property
    def note(self) -> str:
        """A remark for readers of the counts; "" if there is none."""
        return ""

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """Values for each argument of tests. A value named like a capability is only for providers that declare it."""
        return {}

    def test_expected_failures_are_of_this_kit(self, request: pytest.FixtureRequest) -> None:
        """Each expected failure names a test of this kit, and gives a reason."""
        collected = {item.name for item in request.session.items if getattr(item, "cls", None) is type(self)}
        for name, reason in self.xfails.items():
            assert reason.strip(), f"xfails[{name!r}] gives no reason"
            # If a test is deselected (pytest -k), only its name without parameters is known.
            plain = name.partition("[")[0]
            siblings = [item for item in collected if item.partition("[")[0] == plain]
            exists = name in (*siblings, plain) if siblings else callable(getattr(self, plain, None))
            assert exists, f"xfails[{name!r}] is stale: this kit has no such test"

    def prepare(self) -> None:
        """Imports before the global state is read, because libraries change it when they are imported."""

    # --- how they are run --------------------------------------------------------------------------------------------

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name in vars(cls):
            first = next((base for base in cls.__mro__[1:] if name in vars(base)), None)
            if name.startswith("test_") and first is not None:
                raise TypeError(
                    f"{cls.__name__}.{name} would replace a test of {first.__name__}. If it is known to fail, "
                    f"put it into `xfails` with a reason; to test more, choose another name"
                )

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Give tests the values of their arguments, and count their outcomes."""
        OutcomeCounts.of(metafunc.config)
        # Once for each class: a kit has dozens of tests, and looks at plugins for the values.
        known = metafunc.config.stash.setdefault(_PARAMETERS, {})
        if type(self) not in known:
            known[type(self)] = {name: list(values) for name, values in self.parameters().items()}
        for name, values in known[type(self)].items():
            if name in metafunc.fixturenames:
                metafunc.parametrize(name, values, indirect=name == "device")

    @pytest.fixture
    def device(self, request: pytest.FixtureRequest) -> Device:
        """The device under test; half precision is for backends that declare it."""
        params, name = request.node.callspec.params, request.param
        if (
            params.get("dtype") == "float16"
            and "float16" not in registry(ARRAY_BACKEND).get(name).provider.capabilities
        ):
            request.node.stash[SKIPPED_BY_KIT] = True
            pytest.skip(f"not declared by {name}: float16")
        return get_device(name)

    @pytest.fixture(autouse=True)
    def _leaves_the_program_alone(self) -> Iterator[None]:
        """A test that changes global state of the program fails; the state is restored."""
        self.prepare()
        held = random.get_state()
        start_random()
        before = look()
        yield
        changed = changes(before)
        restore(before)
        random.set_state(held)
        assert not changed, (
            f"{self.label} has changed global state: {'; '.join(changed)}. Next: change it only inside a "
            f"`with` block that restores it, or not at all"
        )

    @pytest.fixture(autouse=True)
    def _rules(self, request: pytest.FixtureRequest) -> None:
        """Skip tests of undeclared capabilities; mark expected failures."""
        node = request.node
        reason = self.xfails.get(node.name) or self.xfails.get(node.originalname)
        wanted = set(getattr(request.function, _NEEDS, ()))
        call = getattr(node, "callspec", None)
        if call is not None:
            wanted |= {value for value in call.params.values() if isinstance(value, str)} & set(self.extras)
        undeclared = sorted(wanted - self.declared) if wanted else []
        if undeclared:
            assert reason is None, f"xfails[{node.name!r}] is stale: the test is skipped"
            node.stash[SKIPPED_BY_KIT] = True
            pytest.skip(f"not declared: {', '.join(undeclared)}")
        if reason is not None:
            node.add_marker(pytest.mark.xfail(reason=reason, strict=True))


class ProviderSuite(Suite):
    """A conformance kit for a kind of providers. A subclass is named `Test…` and names its provider::

        class TestMine(ArrayBackendSuite):
            provider = "mine"

    Attributes:
        kind: The kind, or the name of one that a plugin adds; each kit has one.
        provider: Name of the provider under test, short or full.
        options: Keyword arguments to make it with.
    """

    kind: ClassVar[Kind[Any] | str]
    provider: ClassVar[str] = ""
    options: ClassVar[Mapping[str, Any]] = {}

    def test_ready(self) -> None:
        """The provider is found, its revision is supported, and its probe reports no problem."""
        status = self.offer.probe()
        assert status.state is State.READY, f"{self.label} is {status}"

    def test_target(self) -> None:
        """Its target can be imported, and has the type that its kind requires."""
        offer = self.offer
        try:
            target = offer.load()
        except BaseException as error:
            pass_interrupt(error)
            what = f"importing {offer.provider.target} raised {describe_error(error)}"
            raise AssertionError(f"{self.label}: {what}") from error
        self.check_target(target)

    def check_target(self, target: Any) -> None:
        """Assert that a target has the type that the kind requires: by default, it is callable."""
        assert callable(target), f"target {self.offer.provider.target} cannot be called"

    def test_declared_capabilities_are_tested(self) -> None:
        """It declares only capabilities that this kit tests."""
        untested = sorted(self.declared - self.capabilities_tested())
        known = "; ".join(f"{name}: {meaning}" for name, meaning in sorted(self.extras.items())) or "none"
        assert not untested, (
            f"{self.label} declares {', '.join(untested)}, which no test of the kit checks. "
            f"Capabilities of kind {registry(self.kind).kind.name}: {known}"
        )

    def prepare(self) -> None:
        """Import the target."""
        with suppress(Exception):  # separate tests report what is wrong with it
            self.offer.load()

    @cached_property  # cached for one test, because kits need it thousands of times
    def offer(self) -> Offer:
        """The provider's description."""
        return registry(self.kind).get(self.provider, origin=f"{type(self).__name__}.provider")

    @property
    def target(self) -> Any:
        """The object that the provider's target names."""
        return self.offer.load()

    @property
    def declared(self) -> frozenset[str]:
        """The capabilities that the provider declares."""
        return self.offer.provider.capabilities

    @property
    def label(self) -> str:
        """Kind and name."""
        return f"{registry(self.kind).kind.name} {self.provider!r}"

    def make(self) -> Any:
        """A new object, made with `options`."""
        return self.made_with(self.options)

    def made_with(self, options: Mapping[str, Any]) -> Any:
        """A new object."""
        try:
            return self.target(**options)
        except Exception as error:
            given = ", ".join(f"{key}={value!r}" for key, value in options.items())
            raise AssertionError(
                f"{self.label} cannot be made with options ({given}): {describe_error(error)}. {self.other_options}"
            ) from error

    @property
    def other_options(self) -> str:
        """End of a message: what to do if the options allow no test."""
        known = ", ".join(inspect.signature(self.target).parameters) or "none"
        return f"Choose other options, in the test class or by `renga check --set KEY=VALUE`. There are: {known}"

    @classmethod
    def capabilities_tested(cls) -> frozenset[str]:
        """The capabilities that some test of this kit needs, or that are values of its parameters."""
        named = {name for test in _tests(cls) for name in getattr(test, _NEEDS, ())}
        values = {value for values in cls.parameters().values() for value in values if isinstance(value, str)}
        return frozenset(named | (values & set(cls.extras)))

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """A device of each requested backend."""
        return {"device": ready_backends()}


def classes_for(kind: Kind[Any] | str, options: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, type]:
    """A kit for each provider of a kind, by class name: for ``globals().update(classes_for(OPTIMIZER))``.

    A provider that is installed but cannot work on this machine (for example without a GPU) gets one test instead,
    which is skipped with the sentence of its probe.

    Args:
        kind: The kind.
        options: For some providers, attributes of the class (``{"options": …}``), by full name.
    """
    providers: Registry[Any] = registry(kind)
    base = suite_of(providers.kind)
    classes = {}
    for name in providers.names():
        offer = providers.get(name)
        full = offer.full_name
        title = "Test" + "".join(part.capitalize() for part in re.split(r"\W|_", full))
        status = offer.probe()
        if status.state is State.UNAVAILABLE:
            classes[title] = _unavailable(title, f"{providers.kind.name} {full!r} is {status}")
        else:
            attributes = {"provider": full, "__doc__": f"{providers.kind.name} {full}", **(options or {}).get(full, {})}
            classes[title] = type(title, (base,), attributes)
    return classes


def _unavailable(title: str, reason: str) -> type:
    def test_ready(self: object) -> None:
        pytest.skip(reason)

    return type(title, (), {"__doc__": reason, "test_ready": test_ready})


def suite_of(kind: Kind[Any]) -> type[ProviderSuite]:
    """The kit of a kind, which the kind names.

    Raises:
        LookupError: The kind has none.
    """
    from renga_core.plugin.provider import resolve

    if not kind.suite:
        kinds = ", ".join(known.name for known in get_manager().kinds().values() if known.suite)
        raise LookupError(f"there is no conformance kit for kind {kind.name!r}. Kinds with a kit: {kinds}")
    found: type[ProviderSuite] = resolve(kind.suite)
    return found


def _tests(cls: type) -> list[Any]:
    return [getattr(cls, name) for name in dir(cls) if name.startswith("test_")]
