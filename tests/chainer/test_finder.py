"""Installing, and what is found then. In processes of their own: the import system is global."""

import subprocess
import sys

import pytest


def run(program: str, *options: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, *options, "-c", program], capture_output=True, text=True, timeout=120)


def test_imports_resolve_to_renga():
    done = run(
        "import renga_chainer, renga, renga.functions\n"
        "renga_chainer.install()\n"
        "import chainer, chainer.functions as F\n"
        "from chainer.functions.activation.relu import relu\n"
        "from chainer import training\n"
        "assert chainer.Variable is renga.Variable\n"
        "assert F.relu is relu is renga.functions.relu\n"
        "assert training.Trainer is chainer.training.trainer.Trainer\n"
    )
    assert done.returncode == 0, done.stderr


def test_uninstall_leaves_nothing():
    done = run(
        "import renga_chainer\n"
        "renga_chainer.install(); renga_chainer.install()\n"
        "import chainer.links\n"
        "renga_chainer.uninstall()\n"
        "assert not renga_chainer.installed()\n"
        "import chainer\n"
    )
    assert done.returncode != 0
    assert "No module named 'chainer'" in done.stderr


def test_a_chainer_that_is_there_is_not_hidden_unasked(tmp_path):
    (tmp_path / "chainer.py").write_text("real = True")
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import renga_chainer; "
    refused = run(program + "renga_chainer.install()")
    assert "chainer is installed" in refused.stderr
    assert "replace=True" in refused.stderr
    done = run(program + "renga_chainer.install(replace=True); import chainer; assert not hasattr(chainer, 'real')")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("module", ["chainer.functions", "chainer.links", "chainer.optimizers", "chainer.initializers"])
def test_star_imports(module):
    done = run(f"import renga_chainer; renga_chainer.install(); from {module} import *; assert len(dir()) > 10")
    assert done.returncode == 0, done.stderr


def test_misspelt_name_gets_the_nearest():
    done = run("import renga_chainer; renga_chainer.install(); import chainer.functions as F; F.relux")
    assert "relu" in done.stderr.splitlines()[-1]


def test_runner(tmp_path):
    script = tmp_path / "program.py"
    script.write_text("import sys, chainer.links as L\nprint(L.Linear.__module__, sys.argv[1:])\nsys.exit(3)\n")
    done = subprocess.run(
        [sys.executable, "-m", "renga_chainer", str(script), "--gpu", "-1"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 3, done.stderr
    assert done.stdout.strip() == "renga_nn.links.linear ['--gpu', '-1']"
