"""Programs whose settings stand in a TOML file."""

import pytest

from renga.run import read_arguments, run_program
from renga_core.errors import RengaError
from renga_core.settings import SettingsError, UnknownSetting, WrongType


def program(*, units: int, alpha: float = 0.5, layers: tuple[int, ...] = (), name: str = "none") -> None:
    """Do nothing."""


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_a_file_says_the_arguments_as_their_types(write):
    path = write("a.toml", "units = 3\nalpha = 1\nlayers = [1, 2]\n")
    found = read_arguments(program, [path])
    assert found == {"units": 3, "alpha": 1.0, "layers": (1, 2)}
    assert isinstance(found["alpha"], float)


def test_words_go_before_later_files_and_those_before_earlier(write):
    paths = [write("a.toml", "units = 1\nalpha = 1\nname = 'a'"), write("b.toml", "units = 2\nalpha = 2")]
    assert read_arguments(program, paths, {"units": "3"}) == {"units": 3, "alpha": 2.0, "name": "a"}


@pytest.mark.parametrize(
    ("text", "words", "error", "says"),
    [
        ("unit = 3", {}, UnknownSetting, "unknown key 'unit' (from {path}). Did you mean 'units'?"),
        ("units = 3", {"alhpa": "1"}, UnknownSetting, "unknown key 'alhpa' (from --set). Did you mean 'alpha'?"),
        ("units = 3.5", {}, WrongType, "units (from {path}): expected int, got 3.5"),
        ("units = 3", {"alpha": "much"}, WrongType, "alpha (from --set): expected float, got 'much'"),
        ("alpha = 3", {}, SettingsError, "units is missing (from {path})"),
    ],
)
def test_what_is_wrong_is_refused(write, text, words, error, says):
    path = write("a.toml", text)
    with pytest.raises(error) as raised:
        read_arguments(program, [path], words)
    assert says.format(path=path) in str(raised.value)


def test_run_program(write):
    called = []

    def main(*, units: int, name: str) -> None:
        called.append((units, name))

    own, other = write("config.toml", "units = 1\nname = 'a'"), write("other.toml", "units = 2")
    run_program(main, own, [])
    run_program(main, own, [str(other), "--set", "name=b"])
    assert called == [(1, "a"), (2, "b")]


def test_errors_are_said_without_a_traceback(write, capsys):
    def main(*, units: int) -> None:
        raise RengaError("no such thing")

    path = write("config.toml", "units = 1")
    for argv, status, says in [
        (["--set", "unit=1"], 2, "renga: error: unknown key 'unit'"),
        (["--sets", "unit=1"], 2, "Did you mean '--set'?"),
        ([], 1, "renga: error: no such thing"),
    ]:
        with pytest.raises(SystemExit) as raised:
            run_program(main, path, argv)
        assert raised.value.code == status
        assert says in capsys.readouterr().err
