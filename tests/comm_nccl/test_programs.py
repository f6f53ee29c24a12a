"""Programs of ranks on the stand-ins for CuPy and libnccl."""

import pytest


def check(ended, size, words):
    assert ended.returncode == 0, ended.stdout + ended.stderr[-4000:]
    assert ended.stdout.count(words) == size, ended.stdout + ended.stderr[-4000:]


def test_collectives_are_captured_in_graphs(launch):
    check(launch("captured"), 2, "captured")


def test_memory_of_forgotten_requests_is_not_used_too_early(launch):
    slow = {"FAKE_NCCL_DELAY_US": "20000", "FAKE_NCCL_POISON": "1"}
    check(launch("unawaited", variables=slow), 2, "right")


def test_handles_shrink_and_grow(launch):
    check(launch("handles", size=3), 3, "grown")


@pytest.mark.parametrize("what", ["one device", "others"])
def test_refusals(launch, what):
    check(launch("refusals", what), 2, "refused")


@pytest.mark.usefixtures("reference_kernels")
def test_another_device_may_be_current(launch):
    check(launch("other_device_is_current", variables={"FAKE_NCCL_DELAY_US": "2000"}), 2, "done")


def test_the_launcher_names_the_rank_that_failed_first(launch):
    ended = launch("raising")
    assert ended.returncode == 1
    last = ended.stderr.splitlines()[-1]
    assert last.startswith("renga: rank 1 of 2 (process "), ended.stderr
    assert last.endswith(") ended with status 1; the other ranks are ended")
