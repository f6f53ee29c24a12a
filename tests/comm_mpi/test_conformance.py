"""The kit of communicators, for those that tell machines apart, on ranks of which every two act as if on one machine.

As it is, with all ranks on this machine, tests/testing/suites/test_in_tree.py puts every communicator through the kit.
"""

import pytest

pytest.importorskip("mpi4py")
from renga_comm_mpi.testing import RanksFailed
from renga_testing.suites import CommunicatorSuite
from renga_testing.suites.communicator_programs import fail_on_last_rank


def run_program(provider, program, device):
    from renga_core.kinds import COMMUNICATOR
    from renga_core.plugin import registry

    communicator = registry(COMMUNICATOR).load(provider)()
    program(communicator, device)
    communicator.finalize()


class OnMpi(CommunicatorSuite):
    sizes = (2, 3, 4)  # on one machine, on two of which one has one rank, on two
    ranks_per_node = 2

    @pytest.fixture(autouse=True)
    def _pool(self, rank_pool):
        self.pool = rank_pool

    def launch(self, program, size, device):
        # Where a rank fails, the pool has nobody who ends the others at once: it waits so long, and starts new ones.
        patience = 3.0 if program is fail_on_last_rank else 60.0
        try:
            pool = self.pool(size, self.ranks_per_node)
            answers = pool.run(run_program, self.provider, program, device, timeout=patience)
        except RanksFailed as error:
            return [error] * size
        return [answer if isinstance(answer, BaseException) else None for answer in answers]


class TestHierarchical(OnMpi):
    provider = "mpi:hierarchical"


class TestTwoDimensional(OnMpi):
    provider = "mpi:two_dimensional"
