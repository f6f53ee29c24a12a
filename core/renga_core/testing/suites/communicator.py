"""`CommunicatorSuite`: the kit of communicators. How to write one: docs/how-to/write-a-communicator.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import pytest

from renga_core.backend import Device
from renga_core.communicator import CommunicatorBase, RankFailed
from renga_core.plugin import COMMUNICATOR
from renga_core.testing.suites.communicator_programs import PROGRAMS, Program, fail_on_last_rank, names_for
from renga_core.testing.suites.suite import ProviderSuite, needs

__all__ = ["CommunicatorSuite"]


class CommunicatorSuite(ProviderSuite):
    """Tests of a communicator.

    What is tested are programs that every rank runs (`communicator_programs`). How ranks come to be is the
    communicator's affair: a subclass for one that can have several overrides `launch`, and is then tested with each of
    `sizes`. `launch` is called some hundred times, so ranks that are expensive to start stay and wait for the next
    program.

    Attributes:
        sizes: Numbers of ranks, beside one.
    """

    kind = COMMUNICATOR
    extras: ClassVar[Mapping[str, str]] = {"ranks": "several ranks can talk to each other, and `launch` starts them"}
    sizes: ClassVar[tuple[int, ...]] = (2, 3, 4)

    def launch(self, program: Program, size: int, device: str) -> list[BaseException | None]:
        """Run ``program(communicator, device)`` on each of `size` ranks, and wait for them.

        This one can do so for a single rank, in this process.

        Args:
            program: A function at the top of a module, so that another process can import it.
            size: Number of ranks.
            device: What the program takes as its second argument: the name of a device.

        Returns:
            For each rank, what it raised.
        """
        assert size == 1, f"{type(self).__name__} must define launch() to have several ranks"
        communicator = self.make()
        try:
            program(communicator, device)
        except Exception as error:
            return [error]
        finally:
            communicator.finalize()
        return [None]

    @property
    def declared(self) -> frozenset[str]:
        """What the provider declares; several ranks are there where `launch` can start them."""
        return super().declared - {"ranks"} | ({"ranks"} if self._launches() else set())

    @classmethod
    def _launches(cls) -> bool:
        return cls.launch is not CommunicatorSuite.launch

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """Devices, numbers of ranks, and programs: for one rank, and for several."""
        several = {"size": cls.sizes, "program": names_for(2)}
        if not cls._launches():  # then all are skipped, and one tells of it
            several = {name: values[:1] for name, values in several.items()}
        return {**super().parameters(), "alone": names_for(1), **several}

    def test_is_a_communicator(self) -> None:
        """It can be made, and is a `CommunicatorBase`."""
        communicator = self.make()
        known = isinstance(communicator, CommunicatorBase)
        assert known, f"{self.label} makes {communicator!r}, which is no CommunicatorBase"
        communicator.finalize()

    def test_one_rank(self, alone: str, device: Device) -> None:
        """A single rank gets right answers."""
        self._run(alone, 1, device)

    @needs("ranks")
    @pytest.mark.timeout(60)
    def test_ranks(self, program: str, size: int, device: Device) -> None:
        """Each rank gets right answers, and learns of it when ranks do not call the same."""
        self._run(program, size, device)

    @needs("ranks")
    @pytest.mark.timeout(60)
    def test_failing_rank(self, device: Device) -> None:
        """When one rank fails, the others do not wait for ever."""
        size = self.sizes[0]  # of one number: ranks may have to be started again
        errors = self.launch(fail_on_last_rank, size, device.name)
        assert len(errors) == size, f"{len(errors)} ranks answered, of {size}"
        for rank, error in enumerate(errors):
            assert error is not None, f"the last rank failed, and rank {rank} knows nothing of it"

    def _run(self, program: str, size: int, device: Device) -> None:
        errors = self.launch(PROGRAMS[program], size, device.name)
        assert len(errors) == size, f"{len(errors)} ranks answered, of {size}"
        # Of several, those who were let down by another rank say less than it does.
        for rank, error in sorted(enumerate(errors), key=lambda pair: _telling(pair[1])):
            if error is not None:
                words = str(error) if isinstance(error, AssertionError) else repr(error)
                raise AssertionError(f"{program} on rank {rank} of {size}: {words}") from error


def _telling(error: BaseException | None) -> int:
    """What a program has asserted comes first, what a rank knows only by another one last."""
    return 0 if isinstance(error, AssertionError) else 2 if isinstance(error, RankFailed) else 1
