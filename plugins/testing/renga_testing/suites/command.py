"""`CommandSuite`: the kit of commands. How to write one: docs/how-to/write-a-command.md."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from renga_core.errors import RengaError
from renga_core.kinds import COMMAND
from renga_core.plugin.state import describe_error
from renga_testing.suites.suite import ProviderSuite

__all__ = ["CommandSuite"]

_UNKNOWN = "--no-such-option"
_CALLING = """
import json, sys
from renga.cli.command_line import main
from renga_core.plugin import registry
sys.path.extend({path!r})
registry("command").get({name!r})  # which imports thin modules
before = set(sys.modules)
try:
    status = main([{name!r}, "--help"])
except SystemExit as ended:
    status = ended.code
new = [name for name in set(sys.modules) - before if getattr(sys.modules[name], "__file__", None)]
with open({answer!r}, "w") as file:
    json.dump([status, new], file)
"""


class _Ended(NamedTuple):
    """Result of a call: the status, and the output."""

    status: Any
    out: str
    err: str


class CommandSuite(ProviderSuite):
    """Tests of a command: users find it and its help, and wrong arguments give clear errors.

    It is called in this process, in an empty folder, as `renga` does; and once in a separate process.
    """

    kind = COMMAND

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> Iterator[None]:
        with chdir(tmp_path):
            yield
            left = sorted(os.listdir())
        assert not left, (
            f"{self.label} leaves {', '.join(left)} in the current folder, although it was called only for help"
        )

    def test_name(self) -> None:
        """The command can be called by the name that `renga --help` lists."""
        name = self.offer.name
        assert name != "help", "`renga help` shows the list of commands: no command of this name is ever called"
        assert not name.startswith("-"), f"`renga {name}` is read as an option, not as a command"

    def test_help(self) -> None:
        """``--help`` and ``-h`` print how the command is used, and end with 0."""
        for option in ("--help", "-h"):
            ended = self._call([option])
            usage = f"renga {self.offer.name}"
            assert ended.status == 0, f"{option} ends with status {ended.status!r}; expected 0"
            assert "usage:" in ended.out.lower(), f"{option} prints no usage to stdout, but {_shown(ended.out)}"
            assert usage in ended.out, (
                f"{option} does not print '{usage}', as a user writes it, but {_shown(ended.out)}"
            )
            assert not ended.err, f"{option} prints to stderr: {_shown(ended.err)}"

    def test_arguments(self) -> None:
        """It reads the arguments that are passed, as a list or a tuple, and does not change them."""
        arguments, own = ["--help"], sys.argv
        sys.argv = ["renga", self.offer.name, _UNKNOWN]  # must not be read
        try:
            ended = self._call(arguments)
            assert arguments == ["--help"], f"{self.label} changes the list of arguments that is passed to it"
            assert ended.status == self._call(tuple(arguments)).status == 0, (
                f"{self.label} reads sys.argv instead of the arguments that are passed to it"
            )
        finally:
            sys.argv = own

    def test_unknown_option(self) -> None:
        """An unknown option ends it with status 2, and one line on stderr names the problem."""
        ended = self._call([_UNKNOWN])
        assert ended.status == 2, f"{_UNKNOWN} ends with status {ended.status!r}; expected 2"
        assert not ended.out, f"{_UNKNOWN} prints to stdout, which other programs may read: {_shown(ended.out)}"
        lines = ended.err.strip().splitlines()
        assert lines, f"{_UNKNOWN} ends without a message on stderr"
        assert len(lines) == 1, (
            f"{_UNKNOWN} prints {len(lines)} lines to stderr; expected one sentence, as "
            f"renga_core.command_line.Parser makes it: {_shown(ended.err)}"
        )

    def test_in_a_process_of_its_own(self) -> None:
        """Help is fast and silent: the command imports no library that Renga itself does not need."""
        with tempfile.TemporaryDirectory() as folder:
            answer = os.path.join(folder, "answer.json")
            program = _CALLING.format(path=sys.path, name=self.offer.full_name, answer=answer)
            command = [sys.executable, "-P", "-c", program]  # -P: not from the current folder
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, f"--help fails in a separate process: {_shown(done.stderr)}"
            with open(answer, encoding="utf-8") as file:
                status, modules = json.load(file)
        assert status in (0, None), f"--help ends with status {status} in a separate process: {_shown(done.stderr)}"
        assert not done.stderr, f"--help, in a separate process, prints to stderr: {_shown(done.stderr)}"
        own = self.offer.provider.target.partition(":")[0].partition(".")[0]
        tops = {module.partition(".")[0] for module in modules} - {own, "numpy", *sys.stdlib_module_names}
        heavy = sorted(top for top in tops if not top.startswith("renga"))
        assert not heavy, f"--help imports {', '.join(heavy)}; import it where the command's work needs it"

    def _call(self, arguments: Sequence[str]) -> _Ended:
        """Call the command as `renga` does; an error of Renga is printed on one line."""
        out, err = io.StringIO(), io.StringIO()
        said, target = " ".join(arguments), self.target
        with redirect_stdout(out), redirect_stderr(err):
            try:
                status = target(arguments)
                told = isinstance(status, int) and not isinstance(status, bool)
                assert told, f"{self.label} returns {status!r} from {said}; expected the exit status, an integer"
            except SystemExit as ended:
                status = 0 if ended.code is None else ended.code
                if isinstance(status, str):
                    err.write(f"{status}\n")
                    status = 1
            except RengaError as error:
                status = error.exit_status
                err.write(f"renga: error: {error}\n")
            except AssertionError:
                raise
            except Exception as error:
                raise AssertionError(
                    f"{self.label}, called with {said}, raises {describe_error(error)}; raise a RengaError, whose "
                    f"message `renga` shows as it is"
                ) from error
        return _Ended(status, out.getvalue(), err.getvalue())


def _shown(text: str) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text.split())
    return repr(line if len(line) <= 80 else f"{line[:79]}…")
