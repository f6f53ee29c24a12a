import csv
import json
import math
import os

import numpy as np
import pytest

from renga_core.errors import RengaError
from renga_training.extensions import LogReport


def run(report, trainer, values):
    for value in values:
        trainer.iterate(value if isinstance(value, dict) else {"loss": value})
        report(trainer)


def jsonl(trainer, name="log"):
    with open(f"{trainer.out}/{name}.jsonl", encoding="utf-8") as file:
        return [json.loads(line, parse_constant=pytest.fail) for line in file]


def rows(trainer, name="log"):
    with open(f"{trainer.out}/{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_means_over_epochs_in_memory_and_in_both_files(trainer):
    report = LogReport()
    report.initialize(trainer)
    run(report, trainer, [1, 2, 3, np.float32(4), 5, 6, 7, np.array(8.0), 100])
    expected = [
        {"epoch": 1, "iteration": 4, "elapsed_time": 0.125, "loss": 2.5},
        {"epoch": 2, "iteration": 8, "elapsed_time": 0.25, "loss": 6.5},
    ]
    assert report.log == expected
    assert jsonl(trainer) == expected
    assert rows(trainer) == [
        ["epoch", "iteration", "elapsed_time", "loss"],
        ["1", "4", "0.125", "2.5"],
        ["2", "8", "0.25", "6.5"],
    ]


def test_keys_and_postprocess(trainer):
    report = LogReport(["a"], (1, "iteration"), postprocess=lambda entry: entry.update(b=entry["a"] * 2))
    report.initialize(trainer)
    run(report, trainer, [{"a": 1, "c": 5}])
    assert report.log == [{"epoch": 0, "iteration": 1, "elapsed_time": 0.125, "a": 1.0, "b": 2.0}]


def test_columns_that_come_and_go(trainer):
    report = LogReport(trigger=(1, "iteration"))
    report.initialize(trainer)
    run(report, trainer, [{"a": 1}, {"a": 2, "b": 3}, {"b": 4}])
    assert [row[3:] for row in rows(trainer)] == [["a", "b"], ["1.0", ""], ["2.0", "3.0"], ["", "4.0"]]


def test_json_has_no_word_for_nan(trainer):
    report = LogReport(trigger=(1, "iteration"))
    report.initialize(trainer)
    with np.errstate(invalid="ignore"):
        run(report, trainer, [math.nan, math.inf, 1])
    assert [entry["loss"] for entry in jsonl(trainer)] == [None, None, 1]
    assert [row[3] for row in rows(trainer)] == ["loss", "nan", "inf", "1.0"]
    assert math.isnan(report.log[0]["loss"])


def test_no_files(trainer, tmp_path):
    report = LogReport(trigger=(1, "iteration"), filename=None)
    report.initialize(trainer)
    run(report, trainer, [1, 2])
    assert len(report.log) == 2
    assert list(tmp_path.iterdir()) == []


def test_resumed_in_the_middle_of_an_interval(trainer, reload):
    """What was written after the snapshot is taken out; the running means go on."""
    first = LogReport(filename="x")
    first.initialize(trainer)
    run(first, trainer, [1, 2, 3, 4, 5, math.nan])
    second = LogReport(filename="x")
    reload(first, second)
    run(first, trainer, [7, 8, {"other": 9}] + [0] * 3)
    assert len(jsonl(trainer, "x")) == 3
    trainer.go_to(6)
    second.initialize(trainer)
    assert [row["loss"] for row in jsonl(trainer, "x")] == [2.5]
    assert rows(trainer, "x")[0] == ["epoch", "iteration", "elapsed_time", "loss"]
    run(second, trainer, [7, 8])
    assert [entry["iteration"] for entry in second.log] == [4, 8]
    assert math.isnan(second.log[1]["loss"])


def test_a_new_run_begins_new_files(trainer):
    first = LogReport(trigger=(1, "iteration"))
    first.initialize(trainer)
    run(first, trainer, [1])
    LogReport().initialize(trainer)
    assert (jsonl(trainer), rows(trainer)) == ([], [])


def test_two_that_would_write_the_same_files(trainer):
    first, second, third = LogReport(), LogReport(trigger=(2, "iteration")), LogReport(filename=None)
    first.name, second.name = "LogReport", "LogReport_1"
    trainer.extensions.update({"LogReport": first, "LogReport_1": second, "LogReport_2": third})
    for report, other in ((first, second), (second, first)):
        with pytest.raises(RengaError) as caught:
            report.initialize(trainer)
        assert str(caught.value) == (
            f"extensions '{report.name}' and '{other.name}' both write {trainer.out}/log.jsonl. "
            "Give one of them another `filename`, or leave it out"
        )
    assert not os.listdir(trainer.out)
    trainer.extensions["LogReport_1"] = LogReport(filename="often")
    for report in trainer.extensions.values():
        report.initialize(trainer)
    assert sorted(os.listdir(trainer.out)) == ["log.csv", "log.jsonl", "often.csv", "often.jsonl"]
