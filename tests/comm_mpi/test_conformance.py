"""The kit of communicators, on real ranks: for each number of them one `mpiexec`, which runs all programs."""

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
    sizes = (2, 3, 4)
    ranks_per_node = None

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


class TestNaive(OnMpi):
    provider = "mpi:naive"


class TestFlat(OnMpi):
    provider = "mpi:flat"
    sizes = (5,)


class TestSingleNode(OnMpi):
    provider = "mpi:single_node"


class TestHierarchical(OnMpi):
    """As on two machines: of two ranks, two and one, two and two."""

    provider = "mpi:hierarchical"
    ranks_per_node = 2


class TestTwoDimensional(OnMpi):
    provider = "mpi:two_dimensional"
    ranks_per_node = 2


class TestNonCudaAware(OnMpi):
    provider = "mpi:non_cuda_aware"
    sizes = (2,)
