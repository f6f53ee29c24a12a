"""Files that are wrong: what the message says, and that nothing of them is used."""

import re
from pathlib import Path

import pytest

from renga_core.settings import InvalidFile, Setting, UnknownSetting, WrongType, lookup, read_run_file, read_toml


def refused(error, text):
    Path("bad.toml").write_text(text)
    with pytest.raises(error) as caught:
        read_run_file("bad.toml")
    assert caught.value.exit_status == 2
    return str(caught.value)


def test_a_run_file_gives_typed_settings():
    Path("good.toml").write_text(
        '[run]\nbackend = ["cupy", "numpy"]\nsnapshot = [2, "epoch"]\n[model]\nuse = "mlp"\nunits = [3, 4]\n'
        '[[extensions]]\nuse = "log_report"\ntrigger = [1, "epoch"]\n'
    )
    found = read_run_file("good.toml")
    assert found["run.backend"] == Setting("run.backend", ("cupy", "numpy"), "run file good.toml")
    assert found["run.snapshot"].value == (2, "epoch")
    assert found["model.units"].value == [3, 4]
    assert found["extensions"].value == ({"use": "log_report", "trigger": [1, "epoch"]},)


def test_a_byte_order_mark_is_no_text():
    Path("windows.toml").write_bytes(b"\xef\xbb\xbf[run]\r\nepochs = 3\r\n")
    assert read_run_file("windows.toml")["run.epochs"].value == 3


def test_unknown_keys():
    assert refused(UnknownSetting, "[run]\nepoch = 3\n") == (
        "unknown key 'run.epoch' (from run file bad.toml). Did you mean 'run.epochs'? "
        "Known: run.backend, run.communicator, run.compiler, run.dtype, run.epochs, run.keep_best, "
        "run.keep_every_minutes, run.keep_newest, run.loss_scale, run.out, run.plugin, run.seed, "
        "run.snapshot, run.standard_extensions, run.threads."
    )
    assert refused(UnknownSetting, '[optimiser]\nuse = "adam"\n').startswith(
        "unknown key 'optimiser' (from run file bad.toml). Did you mean 'optimizer'?"
    )
    assert "Did you mean 'plugins.disable'?" in refused(UnknownSetting, "[plugins]\ndisabel = []\n")


def test_wrong_types():
    assert refused(WrongType, '[run]\nepochs = "3"\n') == (
        "run.epochs (from run file bad.toml): expected int of at least 1, got '3' (str)"
    )
    assert refused(WrongType, "[run]\nseed = true\n") == (
        "run.seed (from run file bad.toml): expected int of at least 0, got True (bool)"
    )
    assert refused(WrongType, "run = 3\n") == "run (from run file bad.toml): expected table, got 3 (int)"
    assert refused(WrongType, '[run]\nsnapshot = [1, "hour"]\n') == (
        "run.snapshot (from run file bad.toml): expected array of (int of at least 1, 'epoch' or 'iteration'), "
        "got [1, 'hour'] (list)"
    )
    assert refused(WrongType, '[extensions]\nuse = "log_report"\n') == (
        "extensions (from run file bad.toml): expected list of table, got {'use': 'log_report'} (dict)"
    )


def test_a_syntax_error_shows_line_and_column():
    assert refused(InvalidFile, "[run]\nseed = 1\nepochs 3\n") == (
        "bad.toml, line 3, column 8: not TOML: Expected '=' after a key in a key/value pair\n"
        "  3 | epochs 3\n"
        "             ^"
    )
    message = refused(InvalidFile, '[run]\nout = "result')
    assert re.match(r"bad\.toml, line 2, column 14: not TOML: ", message)
    assert message.endswith('\n  2 | out = "result\n                   ^')


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InvalidFile, match=r"^absent\.toml: cannot be read: No such file or directory$"):
        read_toml("absent.toml")
    with pytest.raises(InvalidFile, match="cannot be read: Is a directory"):
        read_toml(tmp_path)
    Path("latin.toml").write_bytes(b"[run]\nout = '\xe9'\n")
    with pytest.raises(InvalidFile, match=r"^latin\.toml: not UTF-8 text, as TOML requires \(byte 13\)$"):
        read_toml("latin.toml")


@pytest.mark.parametrize(
    "text",
    [
        "[model]\nx = " + "[" * 100_000 + "]" * 100_000,
        "[model]\nx = " + "{a = " * 5000 + "1" + "}" * 5000,
        "[model]\n" + "a." * 3000 + "b = 1",
        "[model" + ".a" * 3000 + "]",
        "[run]\nseed = " + "1" * 5000,
    ],
    ids=["arrays", "inline tables", "dotted key", "table", "long integer"],
)
def test_toml_that_is_too_much(text):
    Path("deep.toml").write_text(text)
    with pytest.raises(
        InvalidFile, match=r"^deep\.toml: (cannot be read as TOML: |tables are nested more than 50 levels deep$)"
    ):
        read_run_file("deep.toml")


def test_tables_in_a_few_others():
    Path("some.toml").write_text("[model]\n" + "a." * 40 + "b = 1")
    assert read_toml("some.toml")["model"]["a"]["a"]["a"]


def test_pyproject_describes_no_run():
    Path("pyproject.toml").write_text('[tool.renga.model]\nuse = "mlp"\n')
    with pytest.raises(UnknownSetting, match=r"unknown key 'model' \(from pyproject\.toml; it belongs in a run file\)"):
        lookup("run.seed")


def test_a_wrong_pyproject_is_refused_whichever_key_is_asked():
    Path("pyproject.toml").write_text("[tool.renga.plugins]\nautolaod = false\n")
    with pytest.raises(UnknownSetting) as caught:
        lookup("run.seed")
    assert str(caught.value) == (
        "unknown key 'plugins.autolaod' (from pyproject.toml). Did you mean 'plugins.autoload'? "
        "Known: plugins.autoload, plugins.disable, plugins.required."
    )
    Path("pyproject.toml").write_text("[tool]\nrenga = 3\n")
    with pytest.raises(WrongType, match=r"^tool\.renga \(from pyproject\.toml\): expected table, got 3 \(int\)$"):
        lookup("run.seed")
