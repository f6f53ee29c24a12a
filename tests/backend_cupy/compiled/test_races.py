"""In any order of threads and blocks, kernels compute the same bits; and no two threads touch a place unordered."""

import json
import shutil

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]  # compiles all kernels once

ORDERS = ("1", "7", "23")
"""Backwards, and two others."""


def digests(exercise, *options):
    """Those of all results, by operation, for each order."""
    done = exercise(*options)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_any_order_of_threads_gives_the_same_bits(exercise):
    first, *others = digests(exercise, "--orders", ",".join(("0", *ORDERS)))
    assert len(first) >= 15
    for order, found in zip(ORDERS, others, strict=True):
        assert found == first, f"in order {order}"


@pytest.mark.parametrize(("how", "op"), [("no barrier", "softmax"), ("one place", "relu")])
def test_a_broken_kernel_gives_other_bits(exercise, how, op):
    by_number, backwards = digests(exercise, "--ops", op, "--break", how, "--orders", "0,1")
    assert by_number[op] != backwards[op]


@pytest.fixture
def threads(exercise, library):
    """Kernels with threads that are threads, watched by ThreadSanitizer."""
    if shutil.which("setarch") is None:
        pytest.skip("no setarch: ThreadSanitizer needs addresses that are not randomized")
    variables = {
        "LD_PRELOAD": library("libtsan.so"),
        "TSAN_OPTIONS": "report_signal_unsafe=0 halt_on_error=1 exitcode=66",
        "RENGA_KERNEL_FLAGS": "-g -pthread -fsanitize=thread -DRENGA_REAL_THREADS",
    }

    def run(*options):
        done = exercise("--samples", "1", *options, without_randomized_addresses=True, **variables)
        if "unexpected memory mapping" in done.stderr or "failed to set personality" in done.stderr:
            pytest.skip("ThreadSanitizer does not run here")
        return done

    return run


@pytest.mark.parametrize("ops", ["softmax", "layer_normalization", "softmax_cross_entropy", "relu,lstm,max_pooling"])
def test_no_two_threads_touch_a_place_unordered(threads, ops):
    done = threads("--ops", ops)
    assert done.returncode == 0, done.stderr[:4000]


@pytest.mark.parametrize(("how", "op"), [("no barrier", "softmax"), ("one place", "relu")])
def test_a_race_is_found(threads, how, op):
    # ThreadSanitizer remembers a few accesses to each place: in several samples it sees one for sure.
    done = threads("--ops", op, "--break", how, "--samples", "4")
    assert done.returncode == 66, done.stderr[-2000:]
    assert "ThreadSanitizer: data race" in done.stderr
