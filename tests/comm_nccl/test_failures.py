"""Jobs in which something fails end in time, with a sentence; ``python tests/comm_nccl/failures.py`` tries more."""

import importlib.util
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("failures_of_nccl", Path(__file__).with_name("failures.py"))
failures = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(failures)


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (("refuse", 2, 1, 1), "NcclError: rank 1 of 2: "),
        (("error", 3, 2, 30), "a fault was asked for"),
        (("hang", 3, 0, 9), "of communicator 'pure_nccl' has not ended in 2 s"),
        (("hang", 2, 1, 2), "of communicator 'pure_nccl' has not ended in 2 s"),
        (("kill", 3, 1, 20), "was killed by SIGKILL; the other ranks are ended"),
        (("kill-within", 2, 0, 1), "was killed by SIGKILL; the other ranks are ended"),
        (("stop", 2, 0, 1), "rank 0 ("),
        (("slow", 2, 1, 3), "has come to the end"),
    ],
)
def test_it_ends_with_a_sentence(fake_environment, failure, words):
    planned = failures.Failure(*failure)
    outcome = failures.run(planned, fake_environment)
    assert not outcome.problem, f"{outcome.problem}\n{outcome.written}"
    assert words in outcome.written
    assert (outcome.status == 0) == (planned.kind == "slow"), outcome.written
