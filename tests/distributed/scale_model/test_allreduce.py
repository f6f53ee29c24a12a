"""The formulas against the algorithms themselves: run message by message on numbers, each step timed by its links."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_distributed.scale_model import ALGORITHMS, Cluster, Link, allreduce_time

LINKS = st.builds(Link, st.floats(0, 1e-3), st.floats(1e6, 1e11))
CLUSTERS = st.builds(Cluster, LINKS, LINKS, st.integers(1, 16))
BYTES = st.floats(0, 1e9)
DEVICES = st.integers(1, 16384)
NAMES = st.sampled_from(sorted(ALGORITHMS))


class Network:
    """Devices with a buffer each; a step is a set of messages under way together, and takes as long as its slowest."""

    def __init__(self, cluster, devices, elements):
        self.cluster, self.seconds = cluster, 0.0
        self.buffers = np.random.default_rng(0).integers(0, 9, (devices, elements)).astype(float)
        self.total = self.buffers.sum(0)

    def node(self, device):
        return device // self.cluster.devices_per_node

    def step(self, messages, add):
        """Messages are (source, destination, elements' slice); the receiver adds or overwrites."""
        sent = [(source, to, part, self.buffers[source, part].copy()) for source, to, part in messages]
        leaving = Counter()
        slowest = 0.0
        for source, to, part, data in sent:
            nbytes = 8 * len(data)
            if self.node(source) == self.node(to):
                slowest = max(slowest, self.cluster.intra.time(nbytes))
            else:
                leaving[self.node(source)] += nbytes  # the devices of a node share its link
            self.buffers[to, part] = data + (self.buffers[to, part] if add else 0)
        self.seconds += max([slowest, *(self.cluster.inter.time(nbytes) for nbytes in leaving.values())])


def ring(network, members, low=0, high=None, add_up=True, copy=True):
    """One ring; several at a time are given as lists of members with slices of their own."""
    rings = members if isinstance(members[0], list) else [members]
    bounds = low if isinstance(low, list) else [(low, high)]
    count = len(rings[0])

    def chunk(which, number):
        begin, end = bounds[which]
        size = (end - begin) // count
        return slice(begin + number % count * size, begin + (number % count + 1) * size)

    for adding in [True] * add_up + [False] * copy:
        for step in range(count - 1):
            shift = 0 if adding else 1
            network.step(
                [
                    (device, group[(at + 1) % count], chunk(which, at - step + shift))
                    for which, group in enumerate(rings)
                    for at, device in enumerate(group)
                ],
                adding,
            )


def run_ring(network, nodes, local, elements):
    ring(network, list(range(nodes * local)), 0, elements)


def run_two_dimensional(network, nodes, local, elements):
    in_nodes = [[node * local + at for at in range(local)] for node in range(nodes)]
    everything = [(0, elements)] * nodes
    ring(network, in_nodes, everything, copy=False)
    size = elements // local
    owned = [(at + 1) % local for at in range(local)]  # after the steps that add, device `at` has chunk at + 1
    across = [[node * local + at for node in range(nodes)] for at in range(local)]
    ring(network, across, [(own * size, (own + 1) * size) for own in owned])
    ring(network, in_nodes, everything, add_up=False)


def run_tree(network, nodes, local, elements):
    whole = slice(0, elements)
    levels = [(1, local, range(0, nodes * local, local)), (local, nodes, [0])]
    rounds = []
    for stride, count, roots in levels:
        distance = 1
        while distance < count:
            pairs = [
                (root + (at + distance) * stride, root + at * stride)
                for root in roots
                for at in range(0, count - distance, 2 * distance)
            ]
            rounds.append(pairs)
            distance *= 2
    for pairs in rounds:
        network.step([(child, parent, whole) for child, parent in pairs], True)
    for pairs in reversed(rounds):
        network.step([(parent, child, whole) for child, parent in pairs], False)


def run_halving_doubling(network, nodes, local, elements):
    devices = nodes * local
    held = [(0, elements)] * devices
    undo = []
    distance = 1
    while distance < devices:
        messages, kept = [], list(held)
        for device in range(devices):
            begin, end = held[device]
            middle = (begin + end) // 2
            lower = not device & distance
            kept[device] = (begin, middle) if lower else (middle, end)
            away = (middle, end) if lower else (begin, middle)
            messages.append((device, device ^ distance, slice(*away)))
        network.step(messages, True)
        undo.append((distance, list(kept)))
        held = kept
        distance *= 2
    for distance, parts in reversed(undo):
        network.step([(device, device ^ distance, slice(*parts[device])) for device in range(devices)], False)


RUN = {
    "ring": run_ring,
    "tree": run_tree,
    "halving_doubling": run_halving_doubling,
    "two_dimensional": run_two_dimensional,
}


@pytest.mark.parametrize("algorithm", RUN)
@given(intra=LINKS, inter=LINKS, nodes=st.sampled_from([1, 2, 4, 8]), local=st.sampled_from([1, 2, 4]))
def test_the_algorithm_sums_in_the_time_of_its_formula(algorithm, intra, inter, nodes, local) -> None:
    cluster, elements = Cluster(intra, inter, local), 64
    network = Network(cluster, nodes * local, elements)
    RUN[algorithm](network, nodes, local, elements)
    np.testing.assert_array_equal(network.buffers, np.broadcast_to(network.total, network.buffers.shape))
    predicted = allreduce_time(algorithm, 8 * elements, nodes * local, cluster)
    assert predicted == pytest.approx(network.seconds, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("algorithm", ["ring", "two_dimensional", "tree"])
def test_numbers_of_nodes_that_are_no_powers_of_two(algorithm) -> None:
    cluster, elements = Cluster(Link(1e-6, 1e9), Link(1e-5, 1e8), 3), 15 * 4
    network = Network(cluster, 15, elements)
    RUN[algorithm](network, 5, 3, elements)
    np.testing.assert_array_equal(network.buffers[-1], network.total)
    assert allreduce_time(algorithm, 8 * elements, 15, cluster) == pytest.approx(network.seconds)


@given(NAMES, BYTES, CLUSTERS)
def test_one_device_does_not_communicate(algorithm, nbytes, cluster) -> None:
    assert allreduce_time(algorithm, nbytes, 1, cluster) == 0


@given(BYTES, CLUSTERS, DEVICES)
def test_hierarchical_and_two_dimensional_with_one_device_a_node_are_a_ring(nbytes, cluster, devices) -> None:
    flat = Cluster(cluster.intra, cluster.inter, 1)
    times = [allreduce_time(name, nbytes, devices, flat) for name in ("ring", "hierarchical", "two_dimensional")]
    assert times[1:] == pytest.approx(times[:1] * 2)


def test_hierarchical_in_nodes_is_a_chain_up_and_down() -> None:
    cluster = Cluster(Link(1e-6, 1e9), Link(1e-5, 1e8), 4)
    assert allreduce_time("hierarchical", 1e6, 4, cluster) == pytest.approx(2 * (3e-6 + 1e-3))
    assert allreduce_time("hierarchical", 1e6, 8, cluster) == pytest.approx(2 * (3e-6 + 1e-3) + 2 * (1e-5 + 5e-3))


def test_nccl_by_hand() -> None:
    """32 devices in 4 nodes, 1 GB: 62 steps of the ring, 8 of them between nodes; the tree has 2 levels of nodes."""
    cluster = Cluster(Link(1e-6, 4e11), Link(1e-5, 2e11), 8)
    assert allreduce_time("nccl_ring", 1e9, 32, cluster) == pytest.approx(8.4e-6 + 54e-6 + 8e-5 + 62 / 32 * 1e9 / 2e11)
    assert allreduce_time("nccl_tree", 1e9, 32, cluster) == pytest.approx(8.4e-6 + 14e-6 + 4e-5 + 2e9 / 0.92 / 2e11)
    assert allreduce_time("nccl_ring", 1e9, 8, cluster) == pytest.approx(8.4e-6 + 14e-6 + 14 / 8 * 1e9 / 4e11)


@given(BYTES, CLUSTERS, DEVICES)
def test_waiting_for_the_slowest_link_in_each_step_takes_longer(nbytes, cluster, devices) -> None:
    latency = max(cluster.intra.latency, cluster.inter.latency)
    bandwidth = min(cluster.intra.bandwidth, cluster.inter.bandwidth)
    slow = Cluster(cluster.intra, Link(latency, bandwidth), cluster.devices_per_node)
    waiting = allreduce_time("ring", nbytes, devices, slow)
    assert allreduce_time("nccl_ring", nbytes, devices, slow) <= waiting * (1 + 1e-9) + 8.4e-6


@given(LINKS, st.floats(1, 1e9))
def test_a_ring_of_many_sends_the_buffer_twice_and_its_latency_has_no_limit(link, nbytes) -> None:
    without = Cluster(link, Link(0, link.bandwidth))
    assert allreduce_time("ring", nbytes, 10**6, without) == pytest.approx(2 * nbytes / link.bandwidth, rel=1e-5)
    assert allreduce_time("ring", 0, 1001, Cluster(link, link)) == pytest.approx(2000 * link.latency)


@given(NAMES, BYTES, BYTES, CLUSTERS, DEVICES)
def test_more_bytes_take_longer(algorithm, few, more, cluster, devices) -> None:
    few, more = sorted((few, more))
    assert allreduce_time(algorithm, few, devices, cluster) <= allreduce_time(algorithm, more, devices, cluster)


@given(NAMES, BYTES, CLUSTERS, st.integers(0, 13), st.floats(1, 100))
def test_more_nodes_take_longer_and_better_links_do_not(algorithm, nbytes, cluster, power, factor) -> None:
    """Nodes are full, and no faster between than inside: otherwise a ring's smaller pieces may make up for one more."""
    devices = cluster.devices_per_node * 2**power
    slow = Cluster(
        cluster.intra, Link(max(cluster.intra.latency, cluster.inter.latency), 1e5), cluster.devices_per_node
    )
    fast = Cluster(slow.intra, Link(slow.inter.latency / factor, slow.inter.bandwidth * factor), slow.devices_per_node)
    before = allreduce_time(algorithm, nbytes, devices, slow)
    assert allreduce_time(algorithm, nbytes, 2 * devices, slow) >= before * (1 - 1e-12)
    assert allreduce_time(algorithm, nbytes, devices, fast) <= before


@given(NAMES, st.floats(1, 1e9), LINKS, DEVICES.filter(lambda n: n > 1))
def test_nobody_beats_the_bound_of_bandwidth(algorithm, nbytes, link, devices) -> None:
    """Patarasuk and Yuan 2009, theorem 1: 2 (p - 1) / p of the buffer, at least."""
    bound = 2 * (devices - 1) / devices * nbytes / link.bandwidth
    assert allreduce_time(algorithm, nbytes, devices, Cluster(link, link)) >= bound * (1 - 1e-12)


def test_bad_input() -> None:
    cluster = Cluster(Link(0, 1e9), Link(0, 1e9), 2)
    with pytest.raises(
        ValueError, match=r"no all-reduce algorithm named 'rnig'. Did you mean 'ring'\? Known: ring, tree"
    ):
        allreduce_time("rnig", 1, 2, cluster)
    with pytest.raises(ValueError, match="a buffer has -1 bytes"):
        allreduce_time("ring", -1, 2, cluster)
    with pytest.raises(ValueError, match="devices is 0; it must be at least 1"):
        allreduce_time("ring", 1, 0, cluster)
    with pytest.raises(ValueError, match="a link's latency is -1 s"):
        Link(-1, 1)
    with pytest.raises(ValueError, match="a link's bandwidth is 0 bytes/s"):
        Link(0, 0)
    with pytest.raises(ValueError, match="a link's latency is nan s"):
        Link(math.nan, 1)
    with pytest.raises(ValueError, match="a node has 0 devices"):
        Cluster(Link(0, 1), Link(0, 1), 0)
