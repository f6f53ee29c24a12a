"""No program that runs imports a test tool; the import contracts say it of imports, this of strings and hooks too."""

import subprocess
import sys

import pytest

TOLD = "\nimport sys; print([name for name in sys.modules if name.partition('.')[0] in ('renga_testing', 'pytest')])"
PROGRAMS = {
    "plugins": "from renga.cli.plugin_rows import rows\nrows()",
    "face": """
import renga
from renga.view import VIEWS
for part in VIEWS["renga"].modules:
    if part not in ("testing", "gradient_check"):
        module = getattr(renga, part)
        [getattr(module, name) for name in module.__all__]
""",
    "train": """
from renga.cli import main
assert main(["train", "--out", "result", "--set", "run.epochs=1"]) == 0
""",
    "chainer": """
import renga_chainer
renga_chainer.install()
import chainer, chainer.functions, chainer.links, chainer.optimizers, chainer.training.extensions, chainermn
chainer.Variable, chainer.Chain, chainer.links.Linear(2, 3)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_test_tool_is_imported(name, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAMS[name] + TOLD], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"
