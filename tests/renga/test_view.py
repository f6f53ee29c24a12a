"""What is disabled or missing is not in the face, and says so; what a third party offers is."""

import subprocess
import sys

import pytest

LION = {"lion_target": "class Lion: pass\nclass Adam: pass\n"}


@pytest.fixture
def python(shell):
    """Run code in a process of its own, in which fake distributions are installed; return what it prints."""

    def python(code, **environment):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            cwd=shell.folder,
            env={**shell.environment, **environment},
            timeout=60,
        )
        return done.stdout.strip() or done.stderr.strip().splitlines()

    return python


def test_a_third_partys_is_there_under_its_name(shell, python):
    source = "@hookimpl\ndef renga_optimizers(): return [Provider('lion', 'lion_target:Lion', 1, 'x')]\n"
    shell.install("lion", source, modules=LION)
    assert python("import renga; print(renga.optimizers.Lion)") == "<class 'lion_target.Lion'>"
    assert python("from renga.optimizers import *; print(Lion, Adam.__module__)").endswith(" renga_optimizers.adam")
    assert python("import renga; print('Lion' in dir(renga.optimizers))") == "True"
    assert python("import renga; renga.optimizers.lion")[-1] == (
        "AttributeError: module 'renga.optimizers' has no attribute 'lion'. Did you mean 'Lion'?"
    )


def test_a_preference_decides(shell, python):
    source = "@hookimpl\ndef renga_optimizers(): return [Provider('adam', 'lion_target:Adam', 1, 'x')]\n"
    shell.install("lion", source, modules=LION)
    ours = python("import warnings; warnings.simplefilter('ignore')\nimport renga; print(renga.optimizers.Adam)")
    assert ours == "<class 'renga_optimizers.adam.Adam'>"
    shell.write("pyproject.toml", '[tool.renga.prefer.optimizer]\nadam = "lion"\n')
    assert python("import renga; print(renga.optimizers.Adam)") == "<class 'lion_target.Adam'>"


@pytest.mark.parametrize("code", ["import renga; renga.optimizers.Adam", "from renga.optimizers import Adam"])
def test_what_is_disabled_is_not_and_says_so(python, code):
    told = python(code, RENGA_PLUGINS_DISABLE="optimizers")
    assert told[-2:] == [
        (
            "renga_core.plugin.errors.ProviderUnavailable: renga.optimizers.Adam cannot be used: plugin 'optimizers' "
            "(renga 0.1.0) is disabled: 'optimizers' is in plugins.disable (environment RENGA_PLUGINS_DISABLE)."
        ),
        "Next: Remove 'optimizers' there to use it.",
    ]


def test_what_is_disabled_hides_nothing_else(python):
    code = "import renga; print(hasattr(renga.optimizers, 'Nope'), 'Adam' in dir(renga.optimizers), renga.links.Linear)"
    assert python(code, RENGA_PLUGINS_DISABLE="optimizers") == "False False <class 'renga_nn.links.linear.Linear'>"


def test_an_unknown_name_tells_what_is_not_loaded(python):
    told = python("import renga; renga.optimizers.Lion", RENGA_PLUGINS_DISABLE="optimizers")
    assert told[-3:] == [
        "AttributeError: module 'renga.optimizers' has no attribute 'Lion'",
        "Not loaded:",
        (
            "  - plugin 'optimizers' (renga 0.1.0): disabled: 'optimizers' is in plugins.disable "
            "(environment RENGA_PLUGINS_DISABLE)"
        ),
    ]


def test_a_broken_third_party_breaks_no_star(shell, python):
    source = "@hookimpl\ndef renga_optimizers(): return [Provider('lion', 'nowhere_at_all:Lion', 1, 'x')]\n"
    shell.install("lion", source)
    assert python("from renga.optimizers import *; print(Adam.__name__)") == "Adam"


def test_the_error_that_all_parts_raise_can_be_caught():
    import renga
    from renga_core.errors import RengaError

    assert renga.RengaError is RengaError
    with pytest.raises(renga.RengaError, match="no array_backend named"):
        renga.get_device("numpi")
