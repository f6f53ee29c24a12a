"""Another's plugin is broken, or offers a name that is taken: what works goes on working."""

import json

import pytest

BACKEND = """
@hookimpl
def renga_array_backends():
    return [Provider("broken", "broken_target:make", {revision}, "for a test"{more})]
"""
STOP = "class Stop(BaseException): pass\n"
NO_DEVICE = """
from renga_backend_numpy.backend import NumpyBackend

class make(NumpyBackend):
    name = "broken"
    array_types = ()
    def device_count(self): return 0
"""
WAYS = {
    "import": ("raise RuntimeError('no licence')", "importing broken_target:make raised RuntimeError: no licence"),
    "exit": ("import sys; sys.exit(3)", "importing broken_target:make raised SystemExit: 3"),
    "own exception": (STOP + "raise Stop('bye')", "importing broken_target:make raised Stop: bye"),
    "factory": ("def make(): raise SystemExit('no')", "making it raised SystemExit: no"),
    "rubbish": ("def make(): return 42", "making it raised TypeError: 42 was made where a Backend was expected"),
    "no function": ("make = [1]", "making it raised TypeError: unhashable type: 'list'"),
    "no device": (
        NO_DEVICE,
        "no device 'broken': backend 'broken' has no device",
    ),
}
RUN = """
[run]
backend = ["broken", "numpy"]
epochs = 1
[model]
use = "lenet"
[data]
use = "digits"
[optimizer]
use = "adam"
[[extensions]]
use = "log_report"
"""


def install(shell, target, revision=1, more=""):
    shell.install("broken", BACKEND.format(revision=revision, more=more), modules={"broken_target": target})


@pytest.mark.parametrize("way", WAYS)
def test_a_list_passes_over_it_and_a_string_demands_it(shell, way) -> None:
    target, reason = WAYS[way]
    install(shell, target)
    shell.write("run.toml", RUN)
    outcome = shell.renga("train", "run.toml", "--dry-run")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith(f"# without broken: {reason}\n")
    demanded = shell.renga("train", "run.toml", "--set", "run.backend=broken", "--dry-run")
    assert (demanded.status, demanded.out) == (2, "") if way != "no device" else demanded.status
    assert reason in demanded.err
    assert "(from command line --set run.backend)" in demanded.err
    assert "Traceback" not in demanded.err


@pytest.mark.parametrize(
    "plugin", [STOP + "raise Stop('bye')", STOP + "@hookimpl\ndef renga_models(): raise Stop('bye')"]
)
def test_a_thin_module_or_hook_that_raises(shell, plugin) -> None:
    shell.install("broken", "print('hello')\n" + plugin)
    outcome = shell.renga("train", "lenet", "--dry-run", "--set", "extensions=[]")
    assert outcome.status == 0
    assert "Stop: bye" in outcome.err
    assert "hello" not in outcome.out


def test_where_the_name_came_from(shell) -> None:
    install(shell, "raise RuntimeError('no licence')")
    shell.write("run.toml", RUN.replace('["broken", "numpy"]', '"broken"'))
    for origin, argv, environment in [
        ("run file run.toml, run.backend", ["run.toml"], {}),
        ("environment RENGA_BACKEND", ["lenet"], {"RENGA_BACKEND": "broken"}),
        ("command line --backend", ["lenet", "--backend", "broken"], {}),
    ]:
        outcome = shell.renga("train", *argv, "--dry-run", environment=environment)
        assert outcome.err.startswith(f"renga: error: array_backend 'broken' (from {origin}), offered by "), outcome.err


def test_arrays_keep_their_owner_beside_a_broken_backend_for_their_library(shell) -> None:
    """It sorts before NumPy's, and needs NumPy, so it would be asked first."""
    install(shell, "raise RuntimeError('no licence')", more=", needs=('numpy',)")
    outcome = shell.renga("train", "lenet", "--dry-run", "--set", "extensions=[]")
    assert (outcome.status, outcome.err) == (0, "")


def test_kits_of_others_do_not_suffer(shell) -> None:
    install(shell, STOP + "raise Stop('bye')", more=", needs=('numpy',)")
    outcome = shell.renga("check", "optimizer:sgd", "--json", "outcome.json")
    assert (outcome.status, outcome.err) == (0, "")
    everywhere = shell.renga("check", "optimizer:sgd", "--backend", "all")
    assert everywhere.status == 0
    assert "renga: warning: not tested on array_backend 'broken': importing" in everywhere.err
    demanded = shell.renga("check", "optimizer:sgd", "--backend", "broken")
    assert demanded.status == 2
    assert "array_backend 'broken' (from command line --backend)" in demanded.err
    assert all(kit["counts"]["failed"] == 0 for kit in json.loads((shell.folder / "outcome.json").read_text())["kits"])


def test_a_second_adam_breaks_no_run(shell) -> None:
    shell.install(
        "acme",
        "@hookimpl\ndef renga_optimizers(): return [Provider('adam', 'os:getcwd', 1, 'x')]\n"
        "@hookimpl\ndef renga_models(): return [Provider('lenet', 'os:getcwd', 1, 'x')]\n"
        "@hookimpl\ndef renga_commands(): return [Provider('train', 'os:getcwd', 1, 'x')]\n",
    )
    outcome = shell.renga("train", "lenet", "--dry-run", "--set", "extensions=[]")
    assert outcome.status == 0
    told = outcome.err.splitlines()
    assert sorted(line.partition(" means")[0] for line in told) == [
        f"renga: warning: {what}" for what in ("command 'train'", "model 'lenet'", "optimizer 'adam'")
    ]
    why = shell.renga("plugins", "why", "optimizer", "adam")
    assert "chosen optimizers:adam" in why.out
    assert "'adam' alone means optimizers:adam" in why.out
    assert shell.renga("check", "optimizer:adam").status == 0


def test_a_part_that_exits_is_told_as_an_error(shell) -> None:
    shell.install(
        "acme",
        "@hookimpl\ndef renga_optimizers(): return [Provider('lion', 'lion_target:Lion', 1, 'x')]\n",
        modules={"lion_target": "class Lion:\n    def __init__(self): raise SystemExit('bye')\n"},
    )
    outcome = shell.renga("train", "lenet", "--dry-run", "--set", "extensions=[]", "--set", "optimizer.use=lion")
    assert outcome.status == 2
    assert outcome.err == (
        "renga: error: optimizer 'lion' (from command line --set optimizer.use) cannot be made: SystemExit: bye.\n"
    )
