"""How many threads kernels use beside other programs."""

import os

import pytest

import renga
from renga_backend_numpy import cores
from renga_testing.suites import DoctorCheckSuite


@pytest.fixture
def watch(monkeypatch):
    """A new watch, in a process that has not been told how many threads to use."""
    for name in ("OMP_NUM_THREADS", "RENGA_THREADS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(cores, "_watch", cores._Watch())
    monkeypatch.setattr(cores, "limit", lambda: 8)
    return cores._watch


@pytest.mark.parametrize(
    ("cores_", "now", "others", "expected"),
    [
        (2, 2, 0.0, 2),
        (2, 2, 0.2, 2),  # a background load
        (2, 2, 1.0, 1),  # a program beside
        (2, 1, 1.0, 1),  # which stays at one thread, as this one does
        (2, 1, 0.3, 1),  # not free enough to take more
        (2, 1, 0.1, 2),
        (1, 1, 5.0, 1),
        (16, 16, 1.0, 16),
        (16, 16, 8.0, 8),  # two programs share the cores
        (16, 8, 8.0, 8),
        (16, 16, 12.0, 4),  # four do
        (16, 8, 0.0, 16),
        (6, 6, 3.0, 3),
    ],
)
def test_choose(cores_, now, others, expected):
    assert cores.choose(cores_, now, others) == expected


def test_gives_way_and_takes_back(watch, monkeypatch):
    time = {"busy": 0.0, "own": 0.0, "now": 100.0}
    monkeypatch.setattr(cores.time, "monotonic", lambda: time["now"])
    monkeypatch.setattr(cores.time, "process_time", lambda: time["own"])
    monkeypatch.setattr(cores, "_busy_seconds", lambda: time["busy"])

    def second(own, others):
        time["now"] += 1
        time["own"] += own
        time["busy"] += own + others
        return cores.threads(), cores.most()

    assert second(0, 0) == (8, 8)  # nothing is known yet
    assert second(8, 0) == (8, 8)
    assert second(4, 4) == (4, 8)
    assert second(4, 4) == (4, 8)
    assert second(4, 0) == (8, 8)


def test_a_fixed_number(watch, monkeypatch):
    monkeypatch.setenv("RENGA_THREADS", "3")
    assert (cores.threads(), cores.most()) == (3, 3)
    assert "3, from environment RENGA_THREADS" in cores.check(1.0)[0][2]
    with renga.using(threads=5):
        watch.next_look = 0.0
        assert cores.threads() == 5


def test_openmp_has_the_last_word(watch, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "100")  # more than there are cores
    monkeypatch.setattr(cores, "_busy_seconds", lambda: pytest.fail("looked at the machine"))
    assert min(cores.threads(), cores.most()) >= 100
    assert "100, from environment OMP_NUM_THREADS" in cores.check(1.0)[0][2]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"cpu.max": "max 100000\n"}, None),
        ({"cpu.max": "150000 100000\n"}, 1.5),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, None),
        ({"cpu/cpu.cfs_quota_us": "400000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 4.0),
        ({"cpu.max": "nonsense\n"}, None),
        ({}, None),
    ],
)
def test_quota(tmp_path, files, expected):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert cores.quota(tmp_path) == expected


@pytest.mark.skipif(not os.path.exists("/proc/stat"), reason="only Linux counts what cores do")
def test_busy_seconds_grow_with_work():
    before, own = cores._busy_seconds(), cores.time.process_time()
    while cores.time.process_time() - own < 0.2:
        pass
    assert cores._busy_seconds() - before > 0.1


class TestDoctorCheck(DoctorCheckSuite):
    provider = "threads"
