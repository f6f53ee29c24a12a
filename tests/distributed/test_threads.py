"""Ranks that are threads: the kit of communicators, and what is theirs alone."""

from contextlib import suppress

from renga_core.testing.suites import CommunicatorSuite
from renga_distributed.threads import launch


class TestThreads(CommunicatorSuite):
    provider = "distributed:threads"

    def launch(self, program, size, device):
        errors = [None] * size

        def work(communicator):
            try:
                program(communicator, device)
            except Exception as error:
                errors[communicator.rank] = error
                raise

        with suppress(Exception):
            launch(work, size, ranks_per_node=2)
        return errors
