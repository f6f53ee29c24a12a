"""`CommunicatorSuite`: the kit of communicators. How to write one: docs/how-to/write-a-communicator.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar

import pytest

from renga_core.backend import Device
from renga_core.communicator import CommunicatorBase, RankFailed
from renga_core.kinds import COMMUNICATOR
from renga_core.plugin import RengaPluginError, registry
from renga_testing.suites.communicator_programs import (
    PROGRAMS,
    Program,
    fail_on_last_rank,
    lose_last_rank,
    names_for,
)
from renga_testing.suites.communicator_ranks import Ranks
from renga_testing.suites.suite import ProviderSuite, needs

__all__ = ["CommunicatorSuite"]


class CommunicatorSuite(ProviderSuite):
    """Tests of a communicator.

    The tests are programs that every rank runs (`communicator_programs`), with one rank, and with each number in
    `sizes`. For several ranks, the launcher that the provider names starts processes, which then run all programs. A
    subclass that starts ranks in another way overrides `launch`, which is called some hundred times. Without a launcher
    and without an override, the communicator is tested with one rank only, and the label says so.

    Attributes:
        sizes: Numbers of ranks to test, in addition to one.
        backends: The array backends whose arrays are sent.
    """

    kind = COMMUNICATOR
    extras: ClassVar[Mapping[str, str]] = {
        "ranks": "several ranks can communicate, and a launcher starts them",
        "fault_tolerant": "when a rank dies, the others continue; the launcher starts them in this mode",
    }
    _ranks: ClassVar[dict[tuple[str, int], Ranks]] = {}
    _node: Any
    _prepared: ClassVar[bool] = False
    sizes: ClassVar[tuple[int, ...]] = (2, 3, 4, 5)
    backends: ClassVar[tuple[str, ...]] = ("numpy",)

    def launch(self, program: Program, size: int, device: str) -> list[BaseException | None]:
        """Run ``program(communicator, device)`` on each of `size` ranks, and wait for them.

        Args:
            program: A function at the top of a module, so that another process can import it.
            size: Number of ranks.
            device: The second argument of the program: the name of a device.

        Returns:
            For each rank, the error that it raised, or None.
        """
        if size > 1:
            return self._launch_processes(program, size, device)
        communicator = self.make()
        try:
            program(communicator, device)
        except Exception as error:
            return [error]
        finally:
            communicator.finalize()
        return [None]

    def _launch_processes(self, program: Program, size: int, device: str) -> list[BaseException | None]:
        """`launch` in processes that the provider's launcher starts."""
        ranks = self._ranks.get((self.provider, size))
        if ranks is None:
            ranks = self._ranks[self.provider, size] = Ranks(self.offer.full_name, size)
            self._node.addfinalizer(partial(self._end_ranks, size))
        errors = ranks.run(program, device)
        if any(errors):  # the state of the ranks is unknown now
            del self._ranks[self.provider, size]
            ended = program is not fail_on_last_rank or ranks.ends_after_a_failure()
            ranks.close()
            assert ended, f"{self.label}: a rank has failed, but its launcher continues, or returns 0"
        return errors

    def _end_ranks(self, size: int) -> None:
        ranks = self._ranks.pop((self.provider, size), None)
        if ranks is not None:
            ranks.close()

    @pytest.fixture(autouse=True)
    def _end_ranks_with_the_module(self, request: pytest.FixtureRequest) -> None:
        """The ranks outlive the class: starting them takes seconds, and tests of classes may run in any order."""
        self._node = request.node.getparent(pytest.Module)

    @property
    def declared(self) -> frozenset[str]:
        """The capabilities of the provider; tests with several ranks need a launcher."""
        return super().declared - {"ranks"} | ({"ranks"} if self._launches() else set())

    @property
    def label(self) -> str:
        """Kind and name, and a note if there is only one rank."""
        label = super().label
        return label if self._launches() else f"{label}, with one rank only, because its provider names no launcher"

    @classmethod
    def _launches(cls) -> bool:
        if cls.launch is not CommunicatorSuite.launch:
            return True
        try:
            return bool(registry(COMMUNICATOR).get(cls.provider).provider.launcher)
        except RengaPluginError:  # as other tests tell
            return False

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """Generate tests for devices, numbers of ranks, and programs, for one rank and for several."""
        several = {"size": cls.sizes, "program": names_for(2)}
        if not cls._launches():  # then all tests are skipped, and one reports the reason
            several = {name: values[:1] for name, values in several.items()}
        return {"device": cls.backends, "alone": names_for(1), **several}

    def prepare(self) -> None:
        """Import the target and create a first communicator, because libraries may then install signal handlers."""
        super().prepare()
        if not type(self)._prepared:
            type(self)._prepared = True
            with suppress(Exception):  # as tests of it tell
                self.make().finalize()

    def test_is_a_communicator(self) -> None:
        """Creating it works, and gives a `CommunicatorBase`."""
        communicator = self.make()
        known = isinstance(communicator, CommunicatorBase)
        assert known, f"{self.label} makes {communicator!r}, which is not a CommunicatorBase"
        communicator.finalize()

    def test_one_rank(self, alone: str, device: Device) -> None:
        """A single rank gets correct results."""
        self._run(alone, 1, device)

    @needs("ranks")
    @pytest.mark.timeout(300)
    def test_ranks(self, program: str, size: int, device: Device) -> None:
        """Each rank gets correct results, and gets an error if ranks make different calls."""
        self._run(program, size, device)

    @needs("ranks")
    @pytest.mark.timeout(300)
    def test_failing_rank(self, device: Device) -> None:
        """When one rank fails, the others do not wait for ever."""
        size = self.sizes[0]  # one number of ranks only, because the ranks may have to be started again
        errors = self.launch(fail_on_last_rank, size, device.name)
        assert len(errors) == size, f"{len(errors)} of {size} ranks answered"
        for rank, error in enumerate(errors):
            assert error is not None, f"the last rank failed, but rank {rank} got no error"

    @needs("fault_tolerant")
    @pytest.mark.timeout(300)
    def test_survivors(self, device: Device) -> None:
        """When one rank dies, the others recover and continue."""
        size = self.sizes[:2][-1]
        errors = self.launch(lose_last_rank, size, device.name)
        for rank, error in enumerate(errors[:-1]):
            words = str(error) if isinstance(error, AssertionError) else repr(error)
            assert error is None, f"the last rank died, and on rank {rank} of {size}: {words}"

    def _run(self, program: str, size: int, device: Device) -> None:
        errors = self.launch(PROGRAMS[program], size, device.name)
        assert len(errors) == size, f"{len(errors)} of {size} ranks answered"
        # The rank that failed first gives the best message; errors of ranks that waited for it say less.
        for rank, error in sorted(enumerate(errors), key=lambda pair: _telling(pair[1])):
            if error is not None:
                words = str(error) if isinstance(error, AssertionError) else repr(error)
                raise AssertionError(f"{program} on rank {rank} of {size}: {words}") from error


def _telling(error: BaseException | None) -> int:
    """Sort errors: assertions of the program first, errors about other ranks last."""
    return 0 if isinstance(error, AssertionError) else 2 if isinstance(error, RankFailed) else 1
