import pytest

from benchmarks.scale_model import SCHEDULES, markdown, predicted
from benchmarks.slow_network.rank import WAYS


def measured():
    seconds = {"computing": {"median": 0.3}, **{way: {"median": 0.5} for way in WAYS}}
    return {"link": {"latency": 0.0, "bandwidth": 1e7}, "gradient_bytes": 4_000_000, "seconds": seconds}


def test_every_way_of_the_slow_network_is_predicted() -> None:
    assert list(SCHEDULES) == list(WAYS)
    page = markdown({"vgg": {"200mbit": measured()}})
    assert "| 200mbit: 0 µs, 10.0 MB/s | plain | 500.0 | 700.0 | 1.40 |" in page
    assert page.count("| 200mbit") == len(WAYS)


def test_a_ring_of_two_sends_the_gradients_once() -> None:
    assert predicted(measured(), "float32", "plain") == pytest.approx(0.7)
    assert predicted(measured(), "float16", "plain") == pytest.approx(0.5)
    assert predicted(measured(), "float16", "double_buffering") == pytest.approx(0.3)
