"""What can be wrong with a run: each gives a message that says what and where, a status, and nothing is written."""

import shutil
import sys
from pathlib import Path

import pytest

from renga.cli import main
from renga_core.kinds import ARRAY_BACKEND, COMMUNICATOR, DATASET, MODEL, OPTIMIZER
from renga_core.plugin import registry

RUN = """
[run]
epochs = 1
[model]
use = "mlp"
[data]
use = "digits"
[optimizer]
use = "adam"
alpha = 1e-3
[[extensions]]
use = "log_report"
"""


@pytest.fixture
def train(shell):
    """Run `renga train` on `RUN` or another text; assert that nothing is left behind, and return what it says."""

    def run(*argv, text=RUN, status=2, **more):
        shell.write("run.toml", text)
        before = shell.files()
        outcome = shell.renga("train", "run.toml", *argv, **more)
        assert outcome.status == status, outcome
        assert outcome.out == ""
        assert "Traceback" not in outcome.err
        assert shell.files() == before
        return outcome.err

    return run


def names(kind):
    """All that is offered, whether or not it can be used on this machine."""
    return ", ".join(sorted({offer.name for offer, _ in registry(kind).list()}))


def replaced(old, new):
    assert old in RUN
    return RUN.replace(old, new)


def test_unknown_backend(train):
    known = names(ARRAY_BACKEND)
    assert train("--backend", "nope") == (
        f"renga: error: no array_backend named 'nope' (from command line --backend). Known: {known}.\n"
    )
    assert train(environment={"RENGA_BACKEND": "nunpy"}) == (
        "renga: error: no array_backend named 'nunpy' (from environment RENGA_BACKEND). "
        f"Did you mean 'numpy'? Known: {known}.\n"
    )


def test_unknown_device(train):
    assert train("--backend", "numpy:3") == (
        "renga: error: run.backend (from command line --backend): "
        "no device 'numpy:3': backend 'numpy' has 1 device: numpy\n"
    )


def test_an_iterator_that_ends(train):
    text = RUN.replace("epochs = 1", "epochs = 3") + '[iterator]\nuse = "serial"\nrepeat = false\n'
    assert train(text=text) == (
        "renga: error: iterator.repeat (from run file run.toml) is false: batches would end after the first of 3 "
        "epochs. Leave it out, or set run.epochs to 1\n"
    )


def test_unknown_communicator(train):
    assert train("--set", "run.communicator=singel") == (
        "renga: error: no communicator named 'singel' (from command line --set run.communicator). "
        f"Did you mean 'single'? Known: {names(COMMUNICATOR)}.\n"
    )


@pytest.mark.parametrize(
    ("kind", "section", "right", "wrong"),
    [(OPTIMIZER, "optimizer", "adam", "adamn"), (MODEL, "model", "mlp", "mpl"), (DATASET, "data", "digits", "digit")],
)
def test_misspelt_names(train, kind, section, right, wrong):
    said = train(text=replaced(f'use = "{right}"', f'use = "{wrong}"'))
    assert said.startswith(
        f"renga: error: no {kind.name} named '{wrong}' (from run file run.toml, {section}.use). Did you mean '{right}'"
    )
    assert said.endswith(f"Known: {names(kind)}.\n")


def test_misspelt_keys(train):
    assert train(text=replaced("epochs", "epoch")) == (
        "renga: error: unknown key 'run.epoch' (from run file run.toml). Did you mean 'run.epochs'? "
        "Known: run.backend, run.communicator, run.compiler, run.dtype, run.epochs, run.keep_best, "
        "run.keep_every_minutes, run.keep_newest, run.loss_scale, run.out, run.plugin, run.seed, "
        "run.snapshot, run.standard_extensions, run.threads.\n"
    )
    said = train(text=replaced("alpha", "alhpa"))
    assert said.startswith(
        "renga: error: unknown key 'optimizer.alhpa' (from run file run.toml). Did you mean 'optimizer.alpha'? "
        "Known: optimizer.adabound, optimizer.alpha, optimizer.amsgrad, "
    )
    said = train("--set", "extensions=[{use='log_report', filname='x'}]")
    assert said.startswith(
        "renga: error: unknown key 'extensions[0].filname' (from command line --set extensions). "
        "Did you mean 'extensions[0].filename'? Known: "
    )


def test_wrong_types(train):
    assert train(text=replaced("1e-3", '"fast"')) == (
        "renga: error: optimizer.alpha (from run file run.toml): expected float, got 'fast' (str)\n"
    )
    assert train("--epochs", "many") == (
        "renga: error: run.epochs (from command line --epochs): expected int of at least 1, got 'many' (str)\n"
    )
    assert train("--set", "hooks=[{use=3}]") == (
        "renga: error: hooks[0].use (from command line --set hooks): expected str, got 3 (int)\n"
    )


def test_empty_words(train):
    # What `--out "$FOLDER"` says where the variable is not set.
    assert train("--out", "") == "renga: error: argument --out: expected a word, got ''. See 'renga train --help'.\n"
    assert train("--epochs", "").startswith("renga: error: run.epochs (from command line --epochs): expected int")


def test_folders_that_cannot_be(train):
    assert train("--out", "run.toml", status=1) == (
        "renga: error: run.out = 'run.toml' (from command line --out) cannot be a folder: run.toml is a file. "
        "Next: choose another one with --out DIR.\n"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_a_folder_in_which_nobody_can_write(train):
    said = train("--out", "/proc/here", status=1)
    assert said.startswith("renga: error: run.out = '/proc/here' (from command line --out) cannot be written: ")
    assert said.endswith(" (/proc). Next: choose another one with --out DIR.\n")


def test_missing(train):
    assert train(text=replaced('[model]\nuse = "mlp"\n', "")) == (
        "renga: error: model.use is missing. Next: set it in the run file, or add --set model.use=NAME\n"
    )
    assert train("--set", "hooks=[{use='weight_decay'}]") == (
        "renga: error: hooks[0].rate is missing: optimizer_hook 'weight_decay' "
        "(from command line --set hooks, hooks[0].use) requires it\n"
    )


def test_toml_syntax(train):
    assert train(text="[run]\nepochs 3\n") == (
        "renga: error: run.toml, line 2, column 8: not TOML: Expected '=' after a key in a key/value pair\n"
        "  2 | epochs 3\n"
        "             ^\n"
    )


def test_no_such_file(shell):
    outcome = shell.renga("train", "absent.toml")
    assert outcome.err == "renga: error: absent.toml: cannot be read: No such file or directory\n"
    assert (outcome.status, shell.files()) == (2, [])


def test_arguments_that_the_part_itself_refuses(train):
    said = train("--set", "data.ndim=7", status=1)
    assert said == (
        "renga: error: ValueError: ndim must be 1, 2 or 3, not 7\n"
        "To see where it was raised, add --traceback.\n"
        "This was dataset 'digits' (from run file run.toml, data.use), while it was being made.\n"
    )


def test_a_model_that_does_not_fit_the_data_is_known_before_training(train):
    said = train("--set", "data.withlabel=false", status=1)
    assert said.endswith(
        "This was model 'mlp' (from run file run.toml, model.use), "
        "tested on dataset 'digits' (from run file run.toml, data.use), before training.\n"
    )


def test_more_examples_in_a_batch_than_there_are(train):
    assert train("--set", "data.batch_size=100000000000") == (
        "renga: error: data.batch_size (from command line --set data.batch_size) is 100000000000, "
        "more than the 1437 examples to train on\n"
    )


def test_a_table_without_a_log(shell):
    shell.write("run.toml", RUN)
    outcome = shell.renga(
        "train", "run.toml", "--set", "run.standard_extensions=['print_report']", "--set", "extensions=[]"
    )
    assert outcome.status == 1
    assert outcome.err.startswith("renga: error: KeyError: PrintReport needs an extension named 'LogReport', which")


def test_traceback_is_there_for_who_asks(shell):
    shell.write("run.toml", RUN)
    outcome = shell.renga("train", "run.toml", "--backend", "nope", "--traceback")
    assert outcome.status == 2
    assert outcome.err.startswith("Traceback (most recent call last):")
    assert "renga: error: no array_backend named 'nope'" in outcome.err


# --- plugins that are wrong, as real distributions --------------------------------------------------------------------


def provides(kind, **fields):
    given = {"target": "os:getcwd", "revision": 1, "summary": "for a test", **fields}
    arguments = ", ".join(f"{key}={value!r}" for key, value in given.items())
    return f"@hookimpl\ndef renga_{kind}s():\n    return [Provider({arguments})]\n"


def test_plugin_that_raises_on_import(shell, train):
    shell.install("bad", "raise RuntimeError('no licence')")
    assert train("--set", "optimizer.use=bad:fast") == (
        "renga: warning: plugin 'bad' (bad-dist 1.0) is broken: importing bad_plugin raised RuntimeError: no licence. "
        "Report it to bad-dist, or disable it: RENGA_PLUGINS_DISABLE=bad\n"
        "renga: error: optimizer 'bad:fast' (from command line --set optimizer.use) cannot be used: "
        "plugin 'bad' (bad-dist 1.0) is broken: importing bad_plugin raised RuntimeError: no licence.\n"
        "Next: Report it to bad-dist, or disable it: RENGA_PLUGINS_DISABLE=bad\n"
    )


def test_plugin_that_exits_on_import(shell, train):
    shell.install("bad", "import sys; sys.exit(0)")
    said = train("--set", "optimizer.use=bad:fast")
    assert "plugin 'bad' (bad-dist 1.0) is broken: importing bad_plugin raised SystemExit: 0." in said


def test_plugin_that_misspells_a_hook(shell, train):
    shell.install("bad", "@hookimpl\ndef renga_optimisers(): return []\n")
    said = train("--set", "optimizer.use=bad:fast")
    assert said.startswith(
        "renga: warning: plugin 'bad' (bad-dist 1.0), hook 'renga_optimisers' is invalid: there is no such hook. "
        "Did you mean 'renga_optimizers'"
    )
    assert "\nrenga: error: no optimizer named 'bad:fast' (from command line --set optimizer.use)." in said


def test_two_plugins_that_offer_one_name(shell, train):
    for name in ("acme", "house"):
        shell.install(name, provides("optimizer", name="lion"))
    assert train("--set", "optimizer.use=lion") == (
        "renga: error: optimizer 'lion' (from command line --set optimizer.use) is offered by 2 plugins:\n"
        "  - acme:lion    (acme-dist 1.0, ready)\n"
        "  - house:lion   (house-dist 1.0, ready)\n"
        'Choose one: use the full name, or set [prefer.optimizer] lion = "acme".\n'
    )


def test_plugin_made_for_another_revision(shell, train):
    shell.install("acme", provides("optimizer", name="fast", revision=99))
    said = train("--set", "optimizer.use=fast")
    assert said.startswith(
        "renga: error: optimizer 'fast' (from command line --set optimizer.use), "
        "offered by plugin 'acme' (acme-dist 1.0), is incompatible: "
    )
    assert "\nNext: " in said


def test_plugin_whose_dependency_is_missing(shell, train):
    shell.install(
        "acme", provides("optimizer", name="fast", needs=["nowhere_to_be_found"], install_hint="pip install nowhere")
    )
    assert train("--set", "optimizer.use=fast") == (
        "renga: error: optimizer 'fast' (from command line --set optimizer.use), "
        "offered by plugin 'acme' (acme-dist 1.0), is not available: module 'nowhere_to_be_found' is not installed.\n"
        "Next: pip install nowhere\n"
    )


# --- snapshots that are wrong -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a run that has ended, made once."""
    from renga.run import build, load

    folder = tmp_path_factory.mktemp("finished")
    (folder / "run.toml").write_text(RUN)
    out = folder / "result"
    build(load(folder / "run.toml", {"run.out": str(out), "data.batch_size": 500})).trainer.run()
    return out


def contents(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


@pytest.fixture
def resume(shell, train, finished):
    """Resume a copy of the finished run after `damage` has been done to it; its folder must stay as it is."""

    def run(damage, *argv, status=1):
        result = shell.folder / "result"
        shutil.copytree(finished, result)
        (snapshot,) = result.glob("snapshot_iter_*.npz")
        damage(snapshot)
        before = contents(result) if snapshot.is_file() else None
        said = train("--resume", "--epochs", "2", *argv, status=status)
        if before is not None:
            assert contents(result) == before
        return said, snapshot.name

    return run


def test_truncated_snapshot(resume):
    said, name = resume(lambda snapshot: snapshot.write_bytes(snapshot.read_bytes()[:1000]))
    assert f"renga: error: result/{name}: damaged or not an npz file (" in said


def test_snapshot_that_is_something_else(resume):
    said, name = resume(lambda snapshot: snapshot.write_text("not a snapshot"))
    assert f"renga: error: result/{name}: damaged or not an npz file (" in said


def test_snapshot_that_cannot_be_read(resume):
    def damage(snapshot):
        snapshot.unlink()
        snapshot.mkdir()

    said, name = resume(damage)
    assert name in said
    assert "Is a directory" in said


def test_snapshot_of_another_model(resume):
    said, name = resume(lambda snapshot: None, "--set", "model.n_units=7")
    assert f"renga: error: result/{name}: does not fit the object it is loaded into:\n" in said


def test_nothing_to_resume(train):
    assert train("--resume", status=1) == (
        "renga: error: nothing to resume: there is no snapshot in run.out = 'result' (from default). "
        "Leave out --resume, or name another --out.\n"
    )


def test_a_run_is_not_lost_unasked(shell, train, finished):
    shutil.copytree(finished, shell.folder / "result")
    before = contents(shell.folder / "result")
    name = next(name for name in before if name.startswith("snapshot"))
    assert train("--out", "result", status=1) == (
        f"renga: error: run.out = 'result' (from command line --out) holds a run already: {name}.\n"
        "Next: continue it with --resume, choose another folder with --out DIR, or delete it with --overwrite.\n"
    )
    assert contents(shell.folder / "result") == before


def test_a_run_whose_folder_nobody_chose_goes_beside_the_one_that_is_there(shell, finished):
    """The README's command, twice in one folder."""
    shutil.copytree(finished, shell.folder / "result")
    (shell.folder / "result-2").write_text("not a run")
    before = contents(shell.folder / "result")
    outcome = shell.renga("train", "mlp", "--epochs", "1", "--set", "extensions=[]")
    assert outcome.status == 0, outcome.err
    assert "folder     result-3, because result holds a run already; to continue that run: --resume" in outcome.out
    assert any(path.name.startswith("snapshot") for path in (shell.folder / "result-3").iterdir())
    assert "out = 'result-3'" in (shell.folder / "result-3" / "run.toml").read_text().replace('"', "'")
    assert contents(shell.folder / "result") == before


def test_advice_for_processes_that_it_does_not_connect(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "2")
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "0")
    assert main(["train", "--communicator", "tcp"]) == 2
    assert "renga launch -n 2 --communicator NAME renga train … --communicator NAME" in capsys.readouterr().err
