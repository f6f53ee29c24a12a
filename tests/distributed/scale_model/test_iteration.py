import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_distributed.scale_model import (
    ALGORITHMS,
    MODELS,
    SCHEDULES,
    WIRE_DTYPES,
    Cluster,
    Link,
    Step,
    allreduce_time,
    expected_maximum,
    predict,
)

LINKS = st.builds(Link, st.floats(0, 1e-4), st.floats(1e7, 1e11))
CLUSTERS = st.builds(Cluster, LINKS, LINKS, st.integers(1, 16))
STEPS = st.builds(
    Step,
    st.integers(0, 10**8),
    st.floats(1e-4, 1),
    st.floats(0, 1),
    st.sampled_from(sorted(WIRE_DTYPES)),
    st.sampled_from(sorted(ALGORITHMS)),
    st.sampled_from(SCHEDULES),
    jitter=st.floats(0, 0.3),
)
DEVICES = st.integers(1, 16384)


@given(STEPS, CLUSTERS, DEVICES)
def test_what_holds_for_all(step, cluster, devices) -> None:
    found = predict(step, cluster, devices)
    assert found.efficiency <= 1
    assert found.iteration >= found.compute >= step.compute
    assert found.iteration >= found.communication * (1 - 1e-12)
    assert found.iteration <= (found.compute + found.communication) * (1 + 1e-12)
    assert found.exposed == found.iteration - found.compute


@given(STEPS, CLUSTERS)
def test_one_device_computes_only(step, cluster) -> None:
    found = predict(step, cluster, 1)
    assert (found.communication, found.efficiency) == (0, pytest.approx(1))


@given(STEPS, CLUSTERS, DEVICES)
def test_schedules_hide(step, cluster, devices) -> None:
    plain, overlap, hidden, sharded = (predict(replace(step, schedule=name), cluster, devices) for name in SCHEDULES)
    assert plain.iteration == pytest.approx(plain.compute + plain.communication)
    assert hidden.iteration == max(hidden.compute, hidden.communication)
    # What buckets cost is the latency of all but one of them.
    buckets = max(1, math.ceil(step.gradient_bytes / step.bucket_bytes))
    latency = allreduce_time(step.algorithm, 0, devices, cluster)
    assert overlap.iteration <= (plain.iteration + (buckets - 1) * latency) * (1 + 1e-9)
    assert overlap.iteration >= hidden.iteration * (1 - 1e-9)
    assert sharded.communication == pytest.approx((1.5 - 0.5 / buckets) * overlap.communication)


@given(STEPS, CLUSTERS, DEVICES)
def test_overlap_without_latency_is_never_slower_than_plain(step, cluster, devices) -> None:
    without = Cluster(Link(0, cluster.intra.bandwidth), Link(0, cluster.inter.bandwidth), cluster.devices_per_node)
    plain, overlap = (predict(replace(step, schedule=name), without, devices) for name in ("plain", "overlap"))
    # NCCL's algorithms start a kernel for each bucket, which takes time on links without latency too.
    starts = math.ceil(step.gradient_bytes / step.bucket_bytes) * allreduce_time(step.algorithm, 0, devices, without)
    assert overlap.iteration <= plain.iteration * (1 + 1e-9) + starts


@given(STEPS, CLUSTERS, DEVICES)
def test_one_bucket_cannot_overlap(step, cluster, devices) -> None:
    plain = predict(replace(step, schedule="plain"), cluster, devices)
    one = predict(replace(step, schedule="overlap", bucket_bytes=math.inf), cluster, devices)
    assert one.iteration == pytest.approx(plain.iteration)


def test_overlap_by_hand() -> None:
    """Four buckets of 10 ms, ready at 20, 30, 40 and 50 ms: the last is there at 60; of 15 ms each: at 80."""
    step = Step(4 * 10**6, 0.010, 0.040, schedule="overlap", bucket_bytes=4e6)
    assert predict(step, Cluster(Link(0, 1), Link(0, 4e8)), 2).iteration == pytest.approx(0.060)
    assert predict(step, Cluster(Link(0, 1), Link(0, 4e6 / 0.015)), 2).iteration == pytest.approx(0.080)


def test_fully_sharded_by_hand() -> None:
    """Two buckets, each gathered or scattered in 10 ms, and computed in 20 ms forward and 40 ms backward."""
    step = Step(2 * 10**6, 0.040, 0.080, schedule="fully_sharded", bucket_bytes=4e6)
    found = predict(step, Cluster(Link(0, 1), Link(0, 2e8)), 2)
    # Gathered at 10, computed at 30 and 50; backward at 90 and 130; the last gradients are scattered at 140.
    assert found.iteration == pytest.approx(0.140)
    assert found.communication == pytest.approx(0.050)


def test_fully_sharded_when_the_network_is_slow() -> None:
    """As above, each message taking 100 ms: the network is busy from the beginning to the end but for one bucket."""
    step = Step(2 * 10**6, 0.040, 0.080, schedule="fully_sharded", bucket_bytes=4e6)
    found = predict(step, Cluster(Link(0, 1), Link(0, 2e7)), 2)
    # Gathered at 100 and 200, forward until 220; the other bucket is gathered again at 320, while backward computes the
    # last one until 260; its gradients are there at 420, and those of the other, computed at 360, at 520.
    assert found.iteration == pytest.approx(0.520)


@pytest.mark.parametrize(
    ("name", "words", "width", "layers", "hidden", "keys"),
    [
        ("llama2_7b", 32000, 4096, 32, 11008, 4096),
        ("llama3_8b", 128256, 4096, 32, 14336, 1024),
        ("llama3_70b", 128256, 8192, 80, 28672, 1024),
    ],
)
def test_llamas_have_the_parameters_told(name, words, width, layers, hidden, keys) -> None:
    layer = 2 * width * width + 2 * width * keys + 3 * width * hidden + 2 * width
    assert MODELS[name] == 2 * words * width + layers * layer + width


@given(STEPS, CLUSTERS, DEVICES)
def test_half_the_bytes_are_never_slower(step, cluster, devices) -> None:
    single, half = (
        predict(replace(step, schedule="plain", dtype=name), cluster, devices) for name in ("float32", "float16")
    )
    assert half.iteration <= single.iteration


@given(STEPS, CLUSTERS, st.integers(0, 13), st.floats(0, 0.3))
def test_more_jitter_and_more_nodes_do_not_help(step, cluster, power, more) -> None:
    devices = cluster.devices_per_node * 2**power
    found = predict(step, cluster, devices)
    assert predict(replace(step, jitter=step.jitter + more), cluster, devices).iteration >= found.iteration
    assert predict(step, cluster, 2 * devices).compute >= found.compute


@pytest.mark.parametrize("count", [1, 2, 8, 100, 4096])
def test_the_largest_of_normal_numbers(count) -> None:
    drawn = np.random.default_rng(count).normal(size=(2000, count)).max(axis=1)
    assert expected_maximum(count) == pytest.approx(drawn.mean(), abs=4 * drawn.std() / math.sqrt(len(drawn)))


def test_the_largest_by_tables() -> None:
    """Exact: 1/√π, 3/(2√π); five digits: Harter 1961, "Expected values of normal order statistics"."""
    assert expected_maximum(1) == pytest.approx(0, abs=1e-9)
    assert expected_maximum(2) == pytest.approx(1 / math.sqrt(math.pi), abs=1e-6)
    assert expected_maximum(3) == pytest.approx(1.5 / math.sqrt(math.pi), abs=1e-6)
    assert [round(expected_maximum(n), 5) for n in (10, 100, 400)] == [1.53875, 2.50759, 2.96818]
    with pytest.raises(ValueError, match="count is 0; it must be at least 1"):
        expected_maximum(0)


def test_models_have_the_parameters_told() -> None:
    """Those that Renga has too are counted in the tests of the models; these are sums of their papers' tables."""
    assert (
        MODELS["vgg16"]
        == sum(
            (9 * before + 1) * after
            for before, after in [(3, 64), (64, 64), (64, 128), (128, 128), (128, 256), (256, 256), (256, 256)]
            + [(256, 512), (512, 512), (512, 512), (512, 512), (512, 512), (512, 512)]
        )
        + (25088 + 1) * 4096
        + (4096 + 1) * 4096
        + (4096 + 1) * 1000
    )
    assert MODELS["lenet5"] == 6 * 26 + 16 * 151 + 120 * 401 + 84 * 121 + 10 * 85
    assert Step(MODELS["resnet50"], 1, 1, "float16").gradient_bytes == 51_114_064


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"parameters": -1}, "parameters is -1; it must not be negative"),
        ({"forward": math.nan}, "forward is nan"),
        ({"backward": -0.1}, "backward is -0.1"),
        ({"jitter": -1}, "jitter is -1"),
        ({"forward": 0, "backward": 0}, "forward and backward are both 0"),
        ({"bucket_bytes": 0}, "bucket_bytes is 0"),
        ({"dtype": "float61"}, r"no dtype named 'float61'. Did you mean .*'float16'.*\? Known: float64, float32"),
        ({"schedule": "overlapped"}, r"no schedule named 'overlapped'. Did you mean 'overlap'\?"),
    ],
)
def test_bad_steps(change, told) -> None:
    with pytest.raises(ValueError, match=told):
        Step(**{"parameters": 1, "forward": 1, "backward": 1, **change})


def test_bad_predictions() -> None:
    cluster = Cluster(Link(0, 1), Link(0, 1))
    with pytest.raises(ValueError, match="devices is 0; it must be at least 1"):
        predict(Step(1, 1, 1), cluster, 0)
    with pytest.raises(ValueError, match="no all-reduce algorithm named 'x'"):
        predict(Step(1, 1, 1, algorithm="x"), cluster, 2)
