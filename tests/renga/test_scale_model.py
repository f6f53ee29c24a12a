"""`renga scale-model`, in processes of its own."""

import json
from pathlib import Path

import pytest

from renga.cli.scale_model import _link, _print_calibration
from renga_distributed.scale_model import (
    LINKS,
    Calibration,
    Cluster,
    Failures,
    Fit,
    Link,
    Step,
    predict,
    predict_failures,
)

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "distributed-scaling.md"


def test_the_table_is_the_models(shell):
    argv = ("--compute", "90", "--forward", "40", "--parameters", "1000000", "--devices", "1,2,64", "--jitter", "0.1")
    where = ("--devices-per-node", "4", "--intra", "nvlink1", "--inter", "30,0.5")
    outcome = shell.renga("scale-model", *argv, *where, "--schedule", "plain,overlap", "--bucket", "1", "--json")
    assert (outcome.status, outcome.err) == (0, "")
    rows = json.loads(outcome.out)
    assert [(row["curve"], row["devices"]) for row in rows] == [
        (f"ring, float32, {schedule}", devices) for schedule in ("plain", "overlap") for devices in (1, 2, 64)
    ]
    cluster = Cluster(LINKS["nvlink1"], Link(30e-6, 0.5e9), 4)
    for row in rows:
        schedule = row["curve"].rpartition(" ")[2]
        step = Step(1_000_000, 0.04, 0.05, schedule=schedule, bucket_bytes=2**20, jitter=0.1)
        found = predict(step, cluster, row["devices"])
        assert row["iteration"] == pytest.approx(found.iteration)
        assert row["efficiency"] == pytest.approx(found.efficiency)
        assert row["exposed"] == pytest.approx(found.exposed, abs=1e-12)


def test_for_people(shell):
    outcome = shell.renga(
        "scale-model", "--compute", "100", "--devices", "1,16384", "--algorithm", "ring,two_dimensional"
    )
    assert outcome.err == ""
    lines = outcome.out.splitlines()
    assert lines[0] == "ring, float32, plain"
    assert lines[2].split() == ["DEVICES", "ITERATION", "COMPUTE", "COMMUNICATION", "NOT", "HIDDEN", "EFFICIENCY"]
    assert lines[3].split() == ["1", "100.0", "ms", "100.0", "ms", "0.0", "ms", "0.0", "ms", "100.0%"]
    assert lines[4].startswith("16384 ")
    assert lines[6] == "two_dimensional, float32, plain"
    assert shell.files() == []


def test_devices_are_doubled_to_16384_unless_told(shell):
    outcome = shell.renga("scale-model", "--compute", "100", "--model", "vgg16", "--json")
    assert [row["devices"] for row in json.loads(outcome.out)] == [2**k for k in range(15)]


def test_a_picture(shell):
    outcome = shell.renga("scale-model", "--compute", "100", "--plot", "curve.png", "--devices", "1,8")
    assert outcome.out.endswith("\nwritten: curve.png\n")
    assert shell.files() == ["curve.png"]
    refused = shell.renga("scale-model", "--compute", "100", "--plot", "curve.doc")
    assert (refused.status, refused.out) == (1, "")
    assert "cannot draw to 'curve.doc': its suffix is none of" in refused.err
    assert shell.files() == ["curve.png"]


def test_the_page_has_what_the_command_prints(shell):
    outcome = shell.renga("scale-model", "--published")
    assert outcome.err == ""
    figures, constants = outcome.out.split("\n\n")
    page = PAGE.read_text(encoding="utf-8")
    assert f"\n{figures}\n" in page
    assert f"\n{constants}" in page
    rows = json.loads(shell.renga("scale-model", "--published", "--json").out)
    assert len(rows) == figures.count("\n") - 1
    assert {row["calibration"] for row in rows} == {True, False}


def test_links_are_measured_by_real_ranks_and_one_of_them_tells(shell):
    pytest.importorskip("mpi4py")
    outcome = shell.renga("launch", "-n", "2", "renga", "scale-model", "--calibrate", "naive", "--json")
    assert outcome.status == 0, outcome.err
    found = json.loads(outcome.out)
    assert (found["size"], found["inter"]) == (2, None)
    assert found["intra"]["link"]["bandwidth"] > 1e6
    assert found["allreduce"]["link"]["latency"] < 1


def test_what_was_measured_is_a_link_to_predict_with(capsys):
    link = Link(8.54e-6, 9.12e9)
    fit = Fit(link, ((1024, 1e-5), (4096, 2e-5)), 0.24)
    _print_calibration(Calibration(None, fit, fit, 4), as_json=False)
    head, between, reduced = capsys.readouterr().out.splitlines()
    assert head.split("  ")[0] == "LINK"
    assert between.split() == ["between", "nodes", "8.54", "µs", "9.12", "GB/s", "24%", "8.54,9.12"]
    told = _link(reduced.split()[-1])
    assert (told.latency, told.bandwidth) == pytest.approx((link.latency, link.bandwidth))


def test_the_page_has_what_was_measured():
    rows = (
        (PAGE.parents[2] / "benchmarks" / "results" / "scale-model.md")
        .read_text(encoding="utf-8")
        .split("\n## vgg\n")[1]
    )
    assert rows.strip() in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        ((), "give the time of an iteration on one device: --compute MS."),
        (("--compute", "0"), "argument --compute: expected a number above 0, got '0'"),
        (("--compute", "fast"), "argument --compute: expected a number of at least 0, got 'fast'"),
        (("--compute", "nan"), "argument --compute: expected a number of at least 0, got 'nan'"),
        (("--compute", "5", "--forward", "6"), "--forward is 6 ms, more than --compute, 5 ms"),
        (("--compute", "5", "--jitter", "-1"), "argument --jitter: expected a number of at least 0, got '-1'"),
        (("--compute", "5", "--devices", "1,0"), "argument --devices: expected an integer of at least 1, got '0'"),
        (("--compute", "5", "--devices", "8,"), "argument --devices: expected an integer of at least 1, got ''"),
        (("--compute", "5", "--model", "resnet5"), "argument --model: no 'resnet5'. Did you mean 'resnet50'"),
        (("--compute", "5", "--model", "vgg16", "--parameters", "5"), "not allowed with argument --model"),
        (("--compute", "5", "--schedule", "plain,lazy"), "argument --schedule: no 'lazy'. Known: plain, overlap"),
        (("--compute", "5", "--inter", "pcie"), "argument --inter: no 'pcie'. Did you mean 'pcie3'"),
        (("--compute", "5", "--inter", "5,0"), "argument --inter: expected a number above 0, got '0'"),
        (
            ("--calibrate", "single"),
            "communicator 'single' has only one process, so there is no link to measure. Start several",
        ),
        (("--calibrate", "niave"), "no communicator named 'niave' (from --calibrate). Did you mean 'naive'"),
    ],
)
def test_refused(shell, argv, told):
    outcome = shell.renga("scale-model", *argv)
    assert told in outcome.err
    assert (outcome.status, outcome.out) == (2, "")


def test_failures_beside_the_predictions(shell):
    argv = ("--compute", "100", "--devices", "8,16384", "--mtbf", "50000", "--restart", "60", "--plot", "curve.png")
    outcome = shell.renga("scale-model", *argv)
    assert (outcome.status, outcome.err) == (0, "")
    assert shell.files() == ["curve.png"]
    table = outcome.out.partition("ring, float32, plain: with failures\n\n")[2].splitlines()
    assert [line.split()[:2] for line in table[1:3]] == [["8", "0.00384"], ["16384", "7.86"]]
    rows = json.loads(shell.renga("scale-model", *argv[:-2], "--json").out)
    for row in rows:
        given = Failures(
            mtbf=50_000 * 3600,
            state_bytes=25_557_032 * 12,
            write=2e9,
            read=2e9,
            network=LINKS["ethernet_10g"].bandwidth,
            iteration=row["iteration"],
            restart=60,
        )
        found = {each.way: each.efficiency for each in predict_failures(given, row["devices"])}
        assert {way: each["efficiency"] for way, each in row["failures"].items()} == pytest.approx(found)


def test_without_failures_nothing_is_said_of_them(shell):
    outcome = shell.renga("scale-model", "--compute", "100", "--devices", "8")
    assert "failures" not in outcome.out
    wrong = shell.renga("scale-model", "--compute", "100", "--mtbf", "0")
    assert (wrong.status, wrong.out) == (2, "")
    assert "--mtbf: expected a number above 0, got '0'" in wrong.err
