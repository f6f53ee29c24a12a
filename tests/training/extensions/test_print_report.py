import io
from types import SimpleNamespace

import pytest

from renga_training.extensions import LogReport, PrintReport

KEYS = ["epoch", "iteration", "main/loss", "main/accuracy", "validation/main/loss", "validation/main/accuracy"]


@pytest.fixture
def log(trainer):
    trainer.extensions["LogReport"] = report = LogReport(filename=None)
    return report.log


def entry(epoch, **values):
    return {"epoch": epoch, "iteration": 24 * epoch, "elapsed_time": 0.25 * epoch, **values}


def show(report, trainer):
    report(trainer)
    return report._out.getvalue()


def test_table(trainer, log):
    report = PrintReport([*KEYS, "elapsed_time"], out=io.StringIO())
    report.initialize(trainer)
    for epoch in (1, 2):
        log.append(entry(epoch, **dict.fromkeys(KEYS[2:], 1.23456 / epoch)))
        text = show(report, trainer)
    assert text.splitlines() == [
        "                         main        validation/main",
        " epoch  iteration    loss  accuracy    loss  accuracy  elapsed_time",
        "     1         24  1.2346    1.2346  1.2346    1.2346           0.2",
        "     2         48  0.6173    0.6173  0.6173    0.6173           0.5",
    ]


def test_a_column_that_nothing_fills_is_named_once(trainer, log):
    report = PrintReport(["epoch", "main/los", "lr"], out=io.StringIO())
    report.initialize(trainer)
    log.append(entry(1, **{"main/loss": 1.0}))
    with pytest.warns(UserWarning, match="so far") as warned:
        report(trainer)
    (warning,) = warned
    assert str(warning.message) == (
        "PrintReport: the log has no 'main/los' or 'lr' so far. Did you mean 'main/loss'? "
        "It has: elapsed_time, epoch, iteration, main/loss."
    )
    log.append(entry(2, **{"main/loss": 1.0}))
    report(trainer)


def test_without_observers_one_line_of_headings(trainer, log):
    report = PrintReport(["epoch", "lr"], out=io.StringIO())
    report.initialize(trainer)
    log.append(entry(1, lr=1e-5))
    assert show(report, trainer) == " epoch      lr\n     1   1e-05\n"


def test_a_long_name_of_an_observer_widens_its_columns(trainer, log):
    report = PrintReport(["a_very_long_observer/x", "b/y"], out=io.StringIO())
    report.initialize(trainer)
    log.append({"a_very_long_observer/x": 1.0, "b/y": 2})
    lines = show(report, trainer).splitlines()
    assert lines == ["a_very_long_observer    b", "                   x       y", "              1.0000       2"]


def test_missing_values_and_extremes(trainer, log):
    report = PrintReport(["a", "b", "c"], out=io.StringIO())
    report.initialize(trainer)
    log += [{"a": 0.0, "c": float("nan")}, {"a": -123456.789, "b": 1e-9, "c": 0.001}]
    assert show(report, trainer).splitlines()[1:] == ["0.0000             nan", "-1.235e+05   1e-09  0.0010"]


def test_all_keys_as_they_come(trainer, log):
    report = PrintReport(out=io.StringIO())
    report.initialize(trainer)
    log.append(entry(1, lr=0.1))
    log.append(entry(2, lr=0.1, loss=3.0))
    log.append(entry(3, lr=0.1))
    headers = [line.split() for line in show(report, trainer).splitlines() if "epoch" in line]
    assert headers == [
        ["epoch", "iteration", "lr", "elapsed_time"],
        ["epoch", "iteration", "lr", "loss", "elapsed_time"],
    ]


def test_headings_come_again_rarely(trainer, log):
    report = PrintReport(["epoch"], out=io.StringIO())
    report.initialize(trainer)
    log += [{"epoch": i} for i in range(120)]
    assert show(report, trainer).count("epoch") == 3


def test_resumed_it_prints_only_what_is_new(trainer, log):
    log += [{"epoch": 1}, {"epoch": 2}]
    report = PrintReport(["epoch"], out=io.StringIO())
    report.initialize(trainer)
    log.append({"epoch": 3})
    assert show(report, trainer) == " epoch\n     3\n"


def test_no_log(trainer):
    with pytest.raises(KeyError, match="PrintReport needs an extension named 'Another', which this trainer"):
        PrintReport(["epoch"], "Another").initialize(trainer)


def test_a_log_report_given_itself_and_standard_output(trainer, capsys):
    own = LogReport(filename=None)
    report = PrintReport(["epoch"], own)
    report.initialize(SimpleNamespace())
    own.log.append({"epoch": 7})
    report(trainer)
    assert capsys.readouterr().out == " epoch\n     7\n"
