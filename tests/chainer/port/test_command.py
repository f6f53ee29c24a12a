"""The command ``renga port``: what it prints, writes, and how it ends."""

import sys

import pytest

pytest.importorskip("libcst")
from renga.cli import main
from renga_chainer.port import command  # needs libcst
from renga_core.command_line import UsageError

OLD = "import chainer.functions as F\n\nF.relu(x)\n"
NEW = "import renga.functions as F\n\nF.relu(x)\n"


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_bytes(OLD.encode())
    return path


def test_prints_the_changes_and_writes_nothing(program, capsys):
    assert command.run([str(program)]) == 0
    printed = capsys.readouterr()
    assert "-import chainer.functions as F\n+import renga.functions as F\n" in printed.out
    assert "\033" not in printed.out
    assert "1 of 1 files would be rewritten" in printed.err
    assert program.read_text() == OLD


def test_writes_when_asked(program, capsys):
    assert command.run([str(program), "--write"]) == 0
    assert program.read_text() == NEW
    assert command.run([str(program)]) == 0
    assert "0 of 1 files" in capsys.readouterr().err


def test_line_ends_are_kept(program):
    program.write_bytes(OLD.replace("\n", "\r\n").encode())
    command.run([str(program), "--write"])
    assert program.read_bytes() == NEW.replace("\n", "\r\n").encode()


def test_another_encoding_is_kept(program):
    head = "# coding: latin-1\n# größer\n"
    program.write_bytes((head + OLD).encode("latin-1"))
    assert command.run([str(program), "--write"]) == 0
    assert program.read_bytes() == (head + NEW).encode("latin-1")


def test_colours_on_a_terminal(program, capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    command.run([str(program)])
    assert "\033[32m+import renga.functions as F\033[0m" in capsys.readouterr().out


def test_lists_what_is_left(program, capsys):
    program.write_text("import chainer\nchainer.static_graph\nchainer.config.use_cudnn = 'never'\n")
    assert command.run([str(program)]) == 1
    told = capsys.readouterr().err
    assert f"{program}:2: TO DO: chainer.static_graph: Renga has no chainer.static_graph: renga.compile" in told
    assert f"{program}:3: chainer.config.use_cudnn = 'never': left out" in told


def test_a_folder_and_a_file_that_is_no_program(program, capsys):
    (program.parent / "inner").mkdir()
    (program.parent / "inner" / "other.py").write_text(OLD)
    (program.parent / ".hidden").mkdir()
    (program.parent / ".hidden" / "other.py").write_text(OLD)
    broken = program.parent / "python2.py"
    broken.write_text("import chainer\nprint 'x'\n")
    assert command.run([str(program.parent), "--write"]) == 1
    told = capsys.readouterr().err
    assert f"{broken}: unchanged" in told
    assert "line 2" in told
    assert "2 of 3 files rewritten" in told
    assert broken.read_text() == "import chainer\nprint 'x'\n"
    assert (program.parent / "inner" / "other.py").read_text() == NEW
    assert (program.parent / ".hidden" / "other.py").read_text() == OLD


def test_a_path_that_is_not_there(tmp_path):
    with pytest.raises(command.PortError, match="there is no file or folder"):
        command.run([str(tmp_path / "nothing.py")])
    with pytest.raises(command.PortError, match="there are no Python programs"):
        command.run([str(tmp_path)])


def test_without_libcst(program, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "libcst", None)
    assert main(["port", str(program)]) == 2
    assert "pip install 'renga[port]'" in capsys.readouterr().err


def test_usage():
    with pytest.raises(UsageError):
        command.run([])
