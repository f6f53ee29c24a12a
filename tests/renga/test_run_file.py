"""Reading a run, and writing it."""

import tomllib

import pytest

from renga.run import Choice, ExtensionChoice, build, load, read_run, shipped_runs
from renga.run.toml import dumps
from renga_core.plugin import RengaPluginError
from renga_core.settings import InvalidFile, SettingsError, UnknownSetting, WrongType

FULL = """
[run]
backend = ["cupy:1", "numpy"]
seed = 7
epochs = 3
out = "there"
snapshot = [10, "iteration"]
keep_best = "validation/main/accuracy"
keep_every_minutes = 30
[model]
use = "mlp"
n_units = 5
[data]
use = "digits"
ndim = 1
batch_size = 10
[iterator]
use = "multithread"
n_threads = 2
[optimizer]
use = "sgd"
lr = 0.5
[[hooks]]
use = "weight_decay"
rate = 0.1
[[extensions]]
use = ["plot_report", "print_report"]
trigger = [2, "epoch"]
[[extensions]]
use = "snapshot"
trigger = { use = "max_value", key = "validation/main/accuracy" }
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(text):
        (tmp_path / "run.toml").write_text(text)
        return "run.toml"

    return run


def test_every_section(write):
    run = load(write(FULL))
    assert (run.backend, run.seed, run.epochs, run.out) == (("cupy:1", "numpy"), 7, 3, "there")
    assert (run.snapshot, run.batch_size) == ((10, "iteration"), 10)
    assert (run.keep_newest, run.keep_best, run.keep_every_minutes) == (2, "validation/main/accuracy", 30)
    assert run.model == Choice("mlp", {"n_units": 5})
    assert run.data == Choice("digits", {"ndim": 1})
    assert run.iterator == Choice("multithread", {"n_threads": 2})
    assert run.optimizer == Choice("sgd", {"lr": 0.5})
    assert run.hooks == (Choice("weight_decay", {"rate": 0.1}),)
    assert run.extensions == (
        ExtensionChoice("log_report"),
        ExtensionChoice(("plot_report", "print_report"), {}, (2, "epoch")),
        ExtensionChoice("progress_bar"),
        ExtensionChoice("snapshot", {}, Choice("max_value", {"key": "validation/main/accuracy"})),
    )


def test_each_key_knows_where_it_was_said(write, monkeypatch):
    monkeypatch.setenv("RENGA_SEED", "1")
    run = load(write(FULL), {"optimizer.momentum": 0.9})
    assert run.origin("run.seed") == "environment RENGA_SEED"
    assert run.origin("optimizer.lr") == "run file run.toml"
    assert run.origin("optimizer.momentum") == "renga.using"
    assert run.origin("hooks[0].rate") == "run file run.toml"
    assert run.origin("extensions[1].trigger.key") == "run file run.toml"
    assert run.origin("run.communicator") == "default"
    assert run.origin("anything else") == "argument"


@pytest.mark.parametrize("name", ["full", *shipped_runs()])
def test_what_is_written_is_the_same_run(write, name):
    run = load(write(FULL) if name == "full" else name)
    again = load(write(dumps(run.as_document())))
    assert again.as_document() == run.as_document()
    assert tomllib.loads(dumps(run.as_document()))["model"]["use"] == run.model.use


def test_standard_extensions_stay_are_replaced_and_dropped(write):
    base = FULL[: FULL.index("[[extensions]]")]

    def uses(text, standard=None):
        run = load(write(base + text), None if standard is None else {"run.standard_extensions": standard})
        assert load(write(dumps(run.as_document()))).extensions == run.extensions, "the copy says the same"
        return [choice.use for choice in run.extensions]

    all_three = ["log_report", "print_report", "progress_bar"]
    one = '[[extensions]]\nuse = "fail_on_non_number"\n'
    assert uses("") == all_three
    assert uses(one) == [*all_three, "fail_on_non_number"]
    log = '[[extensions]]\nuse = "log_report"\ntrigger = [5, "iteration"]\n'
    assert uses(one + log) == [*all_three, "fail_on_non_number"], "before the table, which shows it"
    assert load(write(base + log)).extensions[0].trigger == (5, "iteration")
    assert uses('[[extensions]]\nuse = "training:log_report"\n') == ["training:log_report", *all_three[1:]]
    assert uses(one, []) == ["fail_on_non_number"]
    assert uses(one, ["log_report"]) == ["log_report", "fail_on_non_number"]


def test_a_wrong_standard_extension_says_where(write):
    base = FULL[: FULL.index("[[extensions]]")]
    with pytest.raises(RengaPluginError, match=r"run\.standard_extensions"):
        build(load(write(base), {"run.standard_extensions": ["log_rapport"]}))


@pytest.mark.parametrize(
    ("old", "new", "error", "message"),
    [
        (
            '"weight_decay"',
            "[1]",
            WrongType,
            "hooks[0].use (from run file run.toml): expected str, got [1] (list)",
        ),
        (
            'use = "weight_decay"\n',
            "",
            SettingsError,
            "hooks[0].use is missing (from run file run.toml): name what to use",
        ),
        (
            '[2, "epoch"]',
            '"epoch"',
            WrongType,
            (
                "extensions[0].trigger (from run file run.toml): expected array such as [1, 'epoch'], "
                "or table with use, got 'epoch' (str)"
            ),
        ),
        (
            '[2, "epoch"]',
            '[2, "epochs"]',
            UnknownSetting,
            (
                "unknown key 'epochs' (from run file run.toml, extensions[0].trigger). Did you mean 'epoch'? "
                "Known: epoch, iteration."
            ),
        ),
        (
            '{ use = "max_value", key',
            "{ key",
            SettingsError,
            "extensions[1].trigger.use is missing (from run file run.toml): name what to use",
        ),
        (
            'use = "mlp"\n',
            "",
            SettingsError,
            "model.use is missing. Next: set it in the run file, or add --set model.use=NAME",
        ),
    ],
)
def test_what_is_wrong(write, old, new, error, message):
    assert old in FULL
    with pytest.raises(error) as caught:
        load(write(FULL.replace(old, new)))
    assert str(caught.value) == message


def test_shipped_runs_go_by_name_and_files_by_path(write):
    assert set(shipped_runs()) >= {"lenet", "mlp"}
    assert read_run("lenet")["model.use"].origin == "run lenet"
    with pytest.raises(InvalidFile, match=r"^no run named 'lnet'\. Did you mean 'lenet'\?"):
        read_run("lnet")
    with pytest.raises(InvalidFile, match=r"^lenet\.toml: cannot be read: No such file or directory$"):
        read_run("lenet.toml")
