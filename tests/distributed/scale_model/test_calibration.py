"""Links measured through communicators: one whose time is made up, and threads."""

import numpy as np
import pytest

from renga_distributed.scale_model import Link, calibrate
from renga_distributed.scale_model import calibration as module
from renga_distributed.threads import launch

SIZES = [1024, 65536, 2**20, 2**23]


@pytest.fixture
def clock(monkeypatch):
    """The module's clock, which each rank's communicator below moves on as it communicates."""
    monkeypatch.setattr(module, "perf_counter", lambda: Timed.here.now)


class Timed:
    """Rank 0 of a group that exists on paper: messages take what `links` say, and nothing else takes any time."""

    here: "Timed"
    rank = 0

    def __init__(self, nodes, intra, inter):
        self.nodes, self.links, self.now = nodes, {True: intra, False: inter}, 0.0
        self.size, self.inter_rank = len(nodes), 0
        Timed.here = self

    def allgather(self, x):
        return tuple(np.array([node]) for node in self.nodes)

    def bcast_obj(self, obj):
        return obj

    def barrier(self):
        self.now += 1.0  # must not be counted

    def send(self, data, dest, tag):
        self.sent = data

    def recv(self, source, tag):
        self.now += 2 * self.links[self.nodes[source] == 0].time(self.sent.nbytes)
        return self.sent

    def allreduce(self, data):
        link = self.links[len(set(self.nodes)) == 1]
        self.now += 2 * (self.size - 1) * link.time(data.nbytes / self.size)
        return data


@pytest.mark.parametrize("nodes", [[0, 0], [0, 0, 0], [0, 1], [0, 0, 1, 1], [0, 1, 0, 1]])
def test_links_are_found_as_they_are(clock, nodes) -> None:
    intra, inter = Link(2e-6, 8e9), Link(3e-5, 1e9)
    found = calibrate(Timed(nodes, intra, inter), SIZES, repeats=3)
    assert found.size == len(nodes)
    for fit, link, there in (
        (found.intra, intra, nodes.count(0) > 1),
        (found.inter, inter, len(set(nodes)) > 1),
        (found.allreduce, inter if len(set(nodes)) > 1 else intra, True),
    ):
        assert (fit is not None) == there
        if there:
            assert fit.link.latency == pytest.approx(link.latency, rel=1e-3)
            assert fit.link.bandwidth == pytest.approx(link.bandwidth, rel=1e-3)
            assert fit.error < 1e-3
            assert [size for size, _ in fit.samples] == SIZES


def test_no_latency_and_no_end_of_bandwidth_are_not_negative(clock) -> None:
    """Times that grow faster than sizes would give a negative latency."""

    class Growing(Timed):
        def recv(self, source, tag):
            self.now += 2e-15 * self.sent.nbytes**1.5
            return self.sent

    found = calibrate(Growing([0, 0], Link(1e-6, 1e9), Link(1e-6, 1e9)), SIZES, repeats=1)
    assert found.intra.link.latency == 0
    assert found.intra.link.bandwidth > 0


@pytest.mark.parametrize("ranks", [2, 3])
def test_through_a_communicator(ranks) -> None:
    results = launch(calibrate, ranks, [1024, 65536, 2**20], 3)
    assert all(result == results[0] for result in results)
    found = results[0]
    assert (found.size, found.inter) == (ranks, None)
    assert 0 <= found.intra.link.latency < 1
    assert found.allreduce.link.bandwidth > 0


def test_between_nodes() -> None:
    found = launch(calibrate, 4, [1024, 65536], 2, ranks_per_node=2)[3]
    assert found.intra is not None
    assert found.inter is not None


def test_bad_calls() -> None:
    with pytest.raises(ValueError, match="at least two processes; the communicator has one"):
        launch(calibrate, 1)
    for sizes, repeats in (([4], 1), ([4, 8], 0), ([4, 6], 1), ([0, 4], 1)):
        with pytest.raises(ValueError, match="two or more multiples of 4, and repeats must be 1 or more"):
            launch(calibrate, 2, sizes, repeats)


def test_slow_links_are_not_asked_for_large_messages(clock) -> None:
    found = calibrate(Timed([0, 1], Link(1e-6, 1e9), Link(1e-3, 1e7)), SIZES, repeats=1)
    assert [size for size, _ in found.inter.samples] == SIZES[:3]  # a megabyte there and back takes 0.2 s
    assert found.inter.link.bandwidth == pytest.approx(1e7, rel=1e-3)
