"""What a kill is said to have cost, from what processes have written."""

from typing import Any

import pytest

from benchmarks.recovery import command, sizes
from benchmarks.recovery.command import markdown
from benchmarks.recovery.job import Kill, Line, measure, read
from benchmarks.recovery.programs.progress import hidden
from benchmarks.recovery.ways import RANKS, WAYS

Found = dict[str, dict[str, list[dict[str, Any]]]]


def lines(*given):
    return [Line(10 + rank, rank, iteration, at) for rank, iteration, at in given]


def test_the_iteration_under_way_does_not_count():
    found = lines((0, 4, 1.0), (1, 4, 1.0), (0, 5, 2.1), (0, 6, 3.5))
    assert measure(found, 1, 2.0) == Kill(1, 1.5, 0, 2.5)  # it has no earlier iterations to compare with


def test_iterations_that_are_computed_again_are_counted():
    found = lines((0, 10, 1.0), (1, 10, 1.0), (0, 0, 4.0), (0, 8, 5.0), (0, 9, 6.0), (0, 10, 7.0), (0, 12, 9.0))
    assert measure(found, 1, 2.0) == Kill(1, 7.0, 3, 8.0)


def test_what_iterations_take_anyway_is_not_lost():
    before = [(rank, i, i * 0.5) for i in range(1, 5) for rank in (0, 1)]
    kill = measure(lines(*before, (0, 3, 4.0), (0, 4, 4.5), (0, 5, 5.0), (0, 6, 5.5)), 1, 2.1)
    assert kill == Kill(1, 5.5 - 2.1, 2, 5.5 - 2.0 - 2 * 0.5)


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


def test_the_page_of_sizes(tmp_path):
    kills = [{"rank": 1, "seconds": 1.0, "repeated": 2, "lost": lost} for lost in (0.5, 0.25, None)]
    never = [{"rank": 0, "seconds": None, "repeated": 0, "lost": None}]
    found: Found = {
        "torchrun": {"10": kills, "1": kills[:2]},
        "renga-spare": {"1": never},
    }
    page = sizes.markdown(found, "a machine", 1.25)
    assert "| | 1 MB | 10 MB |" in page
    assert f"| {WAYS['torchrun'].title} | 0.38 (0.25 to 0.50; 2) | 0.38 (0.25 to 0.50; 2 of 3 continued) |" in page
    assert f"| {WAYS['renga-spare'].title} | never continued (1) |  |" in page
    assert "the load was 1.2 on average" in page


def test_the_figure_of_sizes(tmp_path):
    pytest.importorskip("matplotlib", reason="the figure is drawn by Matplotlib")
    found: Found = {
        "torchrun": {"10": [{"lost": 2.0}, {"lost": -0.5}]},
        "torchft": {"10": [{"lost": None}]},
    }
    sizes.draw(found, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


def test_sizes_are_measured_one_by_one_and_kept(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib", reason="the figure is drawn by Matplotlib")
    asked = []

    def job(name, python, kills, seed, megabytes):
        asked.append((name, kills, seed, megabytes))
        return [{"rank": 0, "seconds": 1.0, "repeated": 0, "lost": 0.75}] * kills

    monkeypatch.setattr(command, "_job", job)
    argv = ["renga-spare", "renga-shrink", "--jobs", "2", "--kills", "3", "--results", str(tmp_path), "--sizes"]
    assert command.main([*argv, "10", "0.5"]) == 0
    each = [(name, kills, seed) for seed in (0, 1) for name, kills in (("renga-spare", 3), ("renga-shrink", 1))]
    assert asked == [(*one, size) for size in ("10", "0.5") for one in each]
    assert command.main([*argv, "50"]) == 0
    assert f"| {WAYS['renga-spare'].title} | 0.75 (0.75 to 0.75; 6) |" in capsys.readouterr().out
    page = (tmp_path / "recovery-sizes.md").read_text()
    assert "| | 0.5 MB | 10 MB | 50 MB |" in page
    assert (tmp_path / "recovery-sizes.png").exists()


@pytest.mark.parametrize("megabytes", [1, 50, 200])
def test_the_state_has_the_size_that_is_asked_for(megabytes):
    n = hidden(megabytes)
    parameters = 784 * n + n + n * n + n + 10 * n + 10
    assert parameters * 12 / 1e6 == pytest.approx(megabytes, rel=0.01)


@pytest.mark.parametrize("name", WAYS)
def test_each_program_is_there(name):
    *_, program, _ = WAYS[name].command("python", 2)
    with open(program) as file:
        assert "Progress" in file.read()
    assert RANKS == 3
