"""`PluginSuite`: requirements for every plugin. How to write one: docs/how-to/write-a-plugin.md."""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import subprocess
import sys
import tempfile
import threading
from functools import cache
from typing import Any, ClassVar

from renga_core.plugin import Namespace, Offer, Plugin, get_manager
from renga_core.plugin.provider import resolve
from renga_core.plugin.state import State, describe_error, pass_interrupt
from renga_testing.suites.suite import Suite

__all__ = ["PluginSuite"]

_IMPORTING = """
import importlib, json, sys, time
import pluggy
from renga import Kernel, Provider, hookimpl
sys.path.extend({path!r})
before = set(sys.modules)
start = time.perf_counter()
importlib.import_module({module!r})
seconds = time.perf_counter() - start
with open({answer!r}, "w") as file:
    json.dump([seconds, sorted(set(sys.modules) - before)], file)
"""


class PluginSuite(Suite):
    """Tests of a plugin itself. A subclass names the plugin::

        class TestMyPlugin(PluginSuite):
            plugin = "mine"

    Attributes:
        plugin: Name of the plugin: that of its entry point.
        seconds_to_import: Time limit for importing the thin module, without the time for Renga itself.
        seconds_to_probe: Time limit for a probe.
    """

    plugin: ClassVar[str] = ""
    seconds_to_import: ClassVar[float] = 0.5
    seconds_to_probe: ClassVar[float] = 60.0

    @property
    def label(self) -> str:
        """The plugin."""
        return f"plugin {self.plugin!r}"

    def prepare(self) -> None:
        """Find the plugins: some add settings of their own."""
        get_manager().plugins()

    def test_loads(self) -> None:
        """Renga finds the plugin, and reports no problem with it."""
        status = self._plugin.status
        assert status.state is State.READY, f"{self.label} is {status}"

    def test_hooks(self) -> None:
        """Each of its hooks exists, is marked, and returns descriptions without raising."""
        self._offers()  # so that every hook has been called
        problems = [problem for problem in get_manager().problems() if problem.plugin is self._plugin]
        assert not problems, "; ".join(f"hook {problem.hook} is {problem.status}" for problem in problems)

    def test_offers_something(self) -> None:
        """It provides something, adds a kind, or listens to an event."""
        module = self._plugin.module
        hooks = [name for name in dir(module) if name.startswith("renga_") and callable(getattr(module, name))]
        assert hooks, f"{self._plugin.target} has no function named renga_…: it offers nothing"

    def test_imports_nothing_heavy(self) -> None:
        """The module with the descriptions imports neither the described modules nor a library that Renga does not
        need.

        The class of its descriptions may come from another plugin, which adds the plugin kind.
        """
        _, modules, _ = self._imported()
        targets = {offer.provider.target.partition(":")[0] for offer in self._offers()}
        early = sorted(targets & set(modules))
        assert not early, f"{self._plugin.target} imports {', '.join(early)}, but needs only their names"
        own = self._plugin.target.partition(".")[0].partition(":")[0]
        describing = {offer.kind.spec.__module__.partition(".")[0] for offer in self._offers()}
        tops = {module.partition(".")[0] for module in modules} - {own, "renga", "renga_core", *describing}
        heavy = sorted(tops - set(sys.stdlib_module_names))
        assert not heavy, (
            f"{self._plugin.target} imports {', '.join(heavy)}, which only the described modules may import"
        )

    def test_imports_silently(self) -> None:
        """Importing the thin module prints nothing."""
        _, _, output = self._imported()
        assert not output, f"importing {self._plugin.target} prints {output[:80]!r}"

    def test_imports_quickly(self) -> None:
        """Importing the thin module is fast; the best of three trials counts."""
        quick = self._imported()[0] < self.seconds_to_import
        assert quick or any(_import_alone(self._module)[0] < self.seconds_to_import for _ in range(2)), (
            f"importing {self._plugin.target} takes more than {self.seconds_to_import:g} s beyond Renga itself"
        )

    def test_descriptions(self) -> None:
        """Each description is for a revision that Renga has, and has a summary and a unique name."""
        for offer in self._offers():
            status = offer.status
            good = status.state in (State.READY, State.UNAVAILABLE, State.DISABLED)
            assert good, f"{offer.kind.name} {offer.name!r} is {status}"
            summary = offer.provider.summary
            if not summary and status.state is State.READY:  # unknown for a target that cannot be imported here
                summary = offer.load().__doc__ or ""
                assert summary.strip(), f"{offer.kind.name} {offer.name!r} has no summary, nor a docstring"
            missing = status.state is State.UNAVAILABLE and not offer.provider.install_hint
            assert not missing, f"{offer.kind.name} {offer.name!r} is unavailable, and has no install_hint"

    def test_targets(self) -> None:
        """Each target, and each name of a namespace, can be imported, if its requirements are installed."""
        for offer in self._ready_offers():
            for target in _targets(offer):
                try:
                    resolve(target)
                except BaseException as error:
                    pass_interrupt(error)
                    what = f"importing {target} raised {describe_error(error)}"
                    raise AssertionError(f"{offer.kind.name} {offer.name!r}: {what}") from error

    def test_options(self) -> None:
        """Options are known before an object is created: from `options`, or from the signature of the target."""
        for offer in self._ready_offers():
            if isinstance(offer.provider, Namespace):
                continue  # run files do not create objects of this kind
            what = f"{offer.kind.name} {offer.name!r}"
            if offer.provider.options:
                self._check_options(offer, what)
            elif callable(offer.load()):
                parameters = inspect.signature(offer.load()).parameters.values()
                swallowing = [p.name for p in parameters if p.kind is inspect.Parameter.VAR_KEYWORD]
                assert not swallowing, (
                    f"{what} takes **{swallowing[0]}, so a misspelt option is not noticed; name the parameters, or "
                    f"describe them by a dataclass in `options`"
                )

    def test_probes(self) -> None:
        """Each probe returns None or a sentence, in time."""
        for offer in self._ready_offers():
            if not offer.provider.probe:
                continue
            what = f"{offer.kind.name} {offer.name!r}: probe {offer.provider.probe}"
            answer: list[Any] = []
            # A thread of its own: a probe that hangs must not hang the kit.
            thread = threading.Thread(target=_ask, args=(offer.provider.probe, answer), daemon=True)
            thread.start()
            thread.join(self.seconds_to_probe)
            assert answer, f"{what} has not returned in {self.seconds_to_probe:g} s"
            assert not isinstance(answer[0], BaseException), f"{what} raised {describe_error(answer[0])}"
            sentence = isinstance(answer[0], str) and answer[0].strip()
            assert answer[0] is None or sentence, f"{what} returned {answer[0]!r}; expected None or a sentence"

    # --- helpers -----------------------------------------------------------------------------------------------------

    @property
    def _plugin(self) -> Plugin:
        found = [p for p in get_manager().plugins() if self.plugin in p.names]
        names = ", ".join(p.name for p in get_manager().plugins())
        assert len(found) == 1, f"there are {len(found)} plugins named {self.plugin!r}. Installed: {names}"
        return found[0]

    def _offers(self) -> list[Offer]:
        manager = get_manager()
        plugin = self._plugin
        return [offer for kind in manager.kinds().values() for offer in manager.offers(kind) if offer.plugin is plugin]

    def _ready_offers(self) -> list[Offer]:
        return [offer for offer in self._offers() if offer.status.state is State.READY]

    def _check_options(self, offer: Offer, what: str) -> None:
        named = f"{what}: options {offer.provider.options}"
        try:
            options = resolve(offer.provider.options)
        except BaseException as error:
            pass_interrupt(error)
            raise AssertionError(f"{named}: importing it raised {describe_error(error)}") from error
        assert isinstance(options, type) and dataclasses.is_dataclass(options), f"{named} is not a dataclass"  # noqa: PT018
        taken = inspect.signature(offer.load()).parameters
        every = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in taken.values())
        surplus = [] if every else sorted({f.name for f in dataclasses.fields(options)} - set(taken))
        assert not surplus, f"{named} has {', '.join(surplus)}, which {offer.provider.target} does not take"

    @property
    def _module(self) -> str:
        return self._plugin.target.partition(":")[0]

    def _imported(self) -> tuple[float, list[str], str]:
        """Result of `_import_alone`, computed once for all tests, because starting a process is slow."""
        return _imported_once(self._module, tuple(sys.path))


def _targets(offer: Offer) -> list[str]:
    if isinstance(offer.provider, Namespace):
        return [f"{module}:{name}" for module, names in offer.provider.names.items() for name in names.split()]
    return [offer.provider.target]


def _import_alone(module: str) -> tuple[float, list[str], str]:
    """Import a module of descriptions in a separate process; return seconds, imported modules, output."""
    with tempfile.TemporaryDirectory() as folder:
        answer = os.path.join(folder, "answer.json")
        program = _IMPORTING.format(module=module, answer=answer, path=sys.path)
        command = [sys.executable, "-P", "-c", program]  # -P: not from the current folder
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"importing {module} alone fails: {done.stderr.strip()[-300:]}"
        with open(answer, encoding="utf-8") as file:
            seconds, modules = json.load(file)
    return seconds, modules, (done.stdout + done.stderr).strip()


@cache
def _imported_once(module: str, path: tuple[str, ...]) -> tuple[float, list[str], str]:
    """`_import_alone`, for the current path."""
    return _import_alone(module)


def _ask(probe: str, answer: list[Any]) -> None:
    try:
        answer.append(resolve(probe)())
    except BaseException as error:
        answer.append(error)
