"""The kit of communicators, for `test_conformance`, which runs this file where CuPy and libnccl are stand-ins."""

from functools import partial

import pytest
from kit_programs import with_sums_by_nccl

from renga_testing.suites import CommunicatorSuite
from renga_testing.suites.communicator_programs import fail_on_last_rank


class TestPureNccl(CommunicatorSuite):
    """Two ranks are `TestOnMpi`, three `TestResilientNccl`."""

    provider = "nccl:pure_nccl"
    backends = ("cupy",)
    sizes = (4,)


class TestResilientNccl(CommunicatorSuite):
    """It computes as `pure_nccl` does."""

    provider = "nccl:resilient_nccl"
    backends = ("cupy",)
    sizes = (3,)


class TestArraysOfTheHost(CommunicatorSuite):
    provider = "nccl:pure_nccl"
    sizes = (2,)


class TestSumsByNccl(CommunicatorSuite):
    provider = "nccl:pure_nccl"
    backends = ("cupy",)
    sizes = (3,)

    @classmethod
    def parameters(cls):
        """Without the programs in which the last bits of a sum must not depend on its place: NCCL's own do."""
        of_the_kit = super().parameters()
        return {
            **of_the_kit,
            "program": [name for name in of_the_kit["program"] if name not in ("packing", "mean_grad")],
        }

    def launch(self, program, size, device):
        named = program if program is fail_on_last_rank else partial(with_sums_by_nccl, program)
        return super().launch(named, size, device)


class AcrossMachines(CommunicatorSuite):
    backends = ("cupy",)

    @pytest.fixture(autouse=True)
    def _two_on_a_machine(self, monkeypatch):
        monkeypatch.setenv("RENGA_RANKS_PER_NODE", "2")


class TestHierarchical(AcrossMachines):
    provider = "nccl:nccl_hierarchical"
    sizes = (3,)


class TestTwoDimensional(AcrossMachines):
    provider = "nccl:nccl_two_dimensional"
    sizes = (4,)


def run_program(provider, program, device):
    from renga_core.kinds import COMMUNICATOR
    from renga_core.plugin import registry

    communicator = registry(COMMUNICATOR).load(provider)()
    program(communicator, device)
    communicator.finalize()


class TestOnMpi(CommunicatorSuite):
    provider = "nccl:pure_nccl"
    backends = ("cupy",)
    sizes = (2,)
    pools = {}

    def launch(self, program, size, device):
        from renga_comm_mpi.testing import RankPool, RanksFailed

        pool = self.pools.setdefault(size, RankPool(size))
        try:
            patience = 3.0 if program is fail_on_last_rank else 60.0
            answers = pool.run(run_program, self.provider, program, device, timeout=patience)
        except RanksFailed as error:
            return [error] * size
        return [answer if isinstance(answer, BaseException) else None for answer in answers]

    @classmethod
    def teardown_class(cls):
        for pool in cls.pools.values():
            pool.close()
