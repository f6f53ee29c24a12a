"""What a kill is said to have cost, from what processes have written."""

import pytest

from benchmarks.recovery.command import markdown
from benchmarks.recovery.job import Kill, Line, measure, read
from benchmarks.recovery.ways import RANKS, WAYS


def lines(*given):
    return [Line(10 + rank, rank, iteration, at) for rank, iteration, at in given]


def test_the_iteration_under_way_does_not_count():
    found = lines((0, 4, 1.0), (1, 4, 1.0), (0, 5, 2.1), (0, 6, 3.5))
    assert measure(found, 1, 2.0) == Kill(1, 1.5, 0)


def test_iterations_that_are_computed_again_are_counted():
    found = lines((0, 10, 1.0), (1, 10, 1.0), (0, 0, 4.0), (0, 8, 5.0), (0, 9, 6.0), (0, 10, 7.0), (0, 12, 9.0))
    assert measure(found, 1, 2.0) == Kill(1, 7.0, 3)


def test_a_job_that_does_not_go_on():
    assert measure(lines((0, 4, 1.0), (0, 5, 2.1)), 1, 2.0).seconds is None


def test_lines_that_are_not_whole_are_left_out(tmp_path):
    (tmp_path / "12.txt").write_text("1 start 0.5\n1 1 2.0\n1 2 3")
    (tmp_path / "11.txt").write_text("0 1 1.0\n")
    (tmp_path / "output.txt").write_text("what it says\n")
    assert read(tmp_path) == [Line(12, 1, 0, 0.5), Line(11, 0, 1, 1.0), Line(12, 1, 1, 2.0)]


def test_the_page_counts_jobs_that_did_not_go_on():
    kills = [{"rank": 1, "seconds": seconds, "repeated": 2} for seconds in (0.5, 0.25, None)]
    page = markdown({"torchrun": kills, "torchft": [{"rank": 0, "seconds": None, "repeated": 0}]})
    assert f"| {WAYS['torchrun'].title} | 3 | 2 | 0.38 | 0.25 | 0.50 | 2 |" in page
    assert f"| {WAYS['torchft'].title} | 1 | 0 | | | | |" in page


@pytest.mark.parametrize("name", WAYS)
def test_each_program_is_there(name):
    *_, program, _ = WAYS[name].command("python", 2)
    with open(program) as file:
        assert "Progress" in file.read()
    assert RANKS == 3
