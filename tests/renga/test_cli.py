"""The command as a whole: dispatch, global options, errors. Each test runs real processes."""

import importlib.util
import json
import signal
import time

import pytest

from renga.cli.arguments import arguments_of
from renga_core.kinds import DATASET, EXTENSION, FUNCTION, LINK, MODEL, OPTIMIZER, TRIGGER
from renga_core.plugin import registry

COMMAND = """
    @hookimpl
    def renga_commands():
        return [Provider(name="greet", target="greet_target:run", revision=1, summary="says hello")]
"""


def install_greeting(shell, body):
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    target = f"import sys, time\nfrom renga_core.errors import RengaError\ndef run(argv):\n{lines}"
    shell.install("greet", COMMAND.replace("\n    ", "\n"), modules={"greet_target": target})


def refused(outcome, message, status=2):
    assert outcome.err == f"renga: error: {message}\n"
    assert (outcome.out, outcome.status) == ("", status)


def test_version_needs_no_plugin(shell):
    shell.write("pyproject.toml", "not TOML")
    outcome = shell.renga("--version")
    assert (outcome.status, outcome.out, outcome.err) == (0, "renga 0.1.0\n", "")


def test_help_lists_commands_of_all_plugins(shell):
    install_greeting(shell, "return 0")
    for argv in [(), ("--help",), ("help",)]:
        outcome = shell.renga(*argv)
        assert outcome.status == 0
        assert "  greet        says hello\n" in outcome.out
        assert "  train        train a model as a run file (TOML) describes\n" in outcome.out


def test_a_third_partys_command_gets_its_arguments_and_gives_the_status(shell):
    install_greeting(shell, "print('hello', *argv)\nreturn 7")
    outcome = shell.renga("greet", "--loud", "world", "--traceback", "-p", "no:distributed")
    assert (outcome.status, outcome.out) == (7, "hello --loud world\n")


def test_what_follows_a_program_is_the_programs(shell):
    shell.write("program.py", "import sys\nprint(sys.argv[1:])\n")
    outcome = shell.renga("-p", "no:distributed", "run-chainer", "program.py", "-p", "x", "--traceback", "--version")
    assert (outcome.status, outcome.out, outcome.err) == (0, "['-p', 'x', '--traceback', '--version']\n", "")


def test_unknown_commands_and_options(shell):
    refused(
        shell.renga("trian"),
        "no command named 'trian' (from command line). Did you mean 'train'? "
        "Known: check, compare, config, doctor, evaluate, export, kernels, launch, new, plugins, port, predict, "
        "profile, run-chainer, scale-model, serve, stubs, train, watch, weights.",
    )
    refused(shell.renga("--trace"), "unrecognized argument '--trace' before the command. See 'renga --help'.")
    refused(shell.renga("-p", "cupy"), "argument -p: expected no:NAME, got 'cupy'. See 'renga --help'.")
    refused(
        shell.renga("config", "--jsn"),
        "unrecognized argument '--jsn'. Did you mean '--json'? See 'renga config --help'.",
    )
    refused(
        shell.renga("config", "--set", "x"), "argument --set: expected KEY=VALUE, got 'x'. See 'renga config --help'."
    )


def test_errors_have_no_traceback_unless_asked_and_keep_their_notes(shell):
    install_greeting(shell, "error = RengaError('no greeting today')\nerror.add_note('Try tomorrow.')\nraise error")
    refused(shell.renga("greet"), "no greeting today\nTry tomorrow.", status=1)
    outcome = shell.renga("greet", "--traceback")
    assert outcome.status == 1
    assert outcome.err.startswith("Traceback (most recent call last):")
    assert outcome.err.endswith("renga: error: no greeting today\nTry tomorrow.\n")


def test_errors_nobody_foresaw_name_their_type(shell):
    install_greeting(shell, "return {}['hat']")
    refused(shell.renga("greet"), "KeyError: 'hat'\nTo see where it was raised, add --traceback.", status=1)


def test_interrupted_commands_end_with_130(shell):
    install_greeting(shell, "open('ready', 'w').close()\ntime.sleep(60)")
    outcome = shell.stop(signal.SIGINT, lambda: "ready" in shell.files(), "greet")
    assert (outcome.status, outcome.err) == (130, "renga: interrupted\n")


def test_a_reader_that_has_enough_is_no_error(shell):
    install_greeting(shell, "for i in range(100000): print(i)\nreturn 0")
    process = shell.start("greet")
    assert process.stdout.readline() == "0\n"
    process.stdout.close()
    assert process.wait(timeout=60) == 1
    assert process.stderr.read() == ""
    process.stderr.close()


def test_wrong_settings_are_told_by_every_command(shell):
    shell.write("pyproject.toml", "[tool.renga.plugins]\ndisable = 3\n")
    refused(shell.renga("plugins", "list"), "plugins.disable (from pyproject.toml): expected list of str, got 3 (int)")


def test_p_no_adds_to_what_is_disabled(shell):
    environment = {"RENGA_PLUGINS_DISABLE": "distributed"}
    outcome = shell.renga("-p", "no:training", "plugins", "list", "--json", environment=environment)
    state = {row["plugin"]: row["state"] for row in json.loads(outcome.out)}
    assert (state["distributed"], state["training"], state["data"]) == ("disabled", "disabled", "ready")


def test_a_broken_plugin_is_one_line_of_warning(shell):
    shell.install("bad", "raise RuntimeError('no licence')")
    outcome = shell.renga("config")
    assert outcome.status == 0
    assert outcome.err == (
        "renga: warning: plugin 'bad' (bad-dist 1.0) is broken: importing bad_plugin raised RuntimeError: no licence. "
        "Report it to bad-dist, or disable it: RENGA_PLUGINS_DISABLE=bad\n"
    )


@pytest.mark.parametrize(
    "command", ["train", "compare", "launch", "profile", "scale-model", "config", "plugins", "kernels", "doctor"]
)
def test_every_command_has_help(shell, command):
    outcome = shell.renga(command, "--help")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith(f"usage: renga {command} [-h]")


def test_config_tells_origins(shell):
    shell.write("pyproject.toml", "[tool.renga.run]\nseed = 5\n")
    shell.write("mine.toml", '[run]\nout = "there"\n[optimizer]\nuse = "adam"\nalpha = 0.5\n')
    argv = ("config", "mine.toml", "--set", "run.epochs=3", "--set", "optimizer.beta1=0.8")
    outcome = shell.renga(*argv, "--json", environment={"RENGA_BACKEND": "cupy:0"})
    assert outcome.status == 0
    found = {row["key"]: (row["value"], row["origin"]) for row in json.loads(outcome.out)}
    assert found["run.seed"] == (5, "pyproject.toml")
    assert found["run.backend"] == ("cupy:0", "environment RENGA_BACKEND")
    assert found["run.out"] == ("there", "run file mine.toml")
    assert found["optimizer.alpha"] == (0.5, "run file mine.toml")
    assert found["run.epochs"] == (3, "command line --set run.epochs")
    assert found["optimizer.beta1"] == (0.8, "command line --set optimizer.beta1")
    assert found["run.communicator"] == ("single", "default")
    table = shell.renga(*argv).out.splitlines()
    assert table[0].split() == ["KEY", "VALUE", "FROM"]
    assert ["optimizer.alpha", "0.5", "run file mine.toml"] in [line.split(maxsplit=2) for line in table]


def test_config_tells_keys(shell):
    keys = {row["key"]: row for row in json.loads(shell.renga("config", "--keys", "--json").out)}
    assert keys["plugins.disable"]["environment"] == "RENGA_PLUGINS_DISABLE"
    assert all(row["help"] for row in keys.values())


@pytest.mark.parametrize("asked", ["--device", "--gpu=3", "-g"])
def test_options_of_programs_for_chainer_and_pytorch(shell, asked):
    refused(
        shell.renga("train", asked, "3"),
        f"unrecognized argument '{asked}'. Did you mean '--backend'? See 'renga train --help'.",
    )


def test_a_folder_is_no_run_file(shell):
    (shell.folder / "mine").mkdir()
    outcome = shell.renga("config", "mine")
    assert (outcome.out, outcome.status) == ("", 2)
    assert outcome.err.startswith(
        "renga: error: 'mine' is a folder. Next: give a run file (TOML), or the name of a run: "
    )


def test_config_of_an_unknown_run(shell):
    refused(
        shell.renga("config", "lnet"),
        "no run named 'lnet'. Did you mean 'lenet'? Known: detect_digits, lenet, lenet_float16, mlp, "
        "instances_digits, segment_digits, or a TOML file.",
    )


BACKENDS = """
@hookimpl
def renga_array_backends():
    return [
        Provider(name="hangs", target="slow_target:make", revision=1, summary="", probe="slow_target:hang"),
        Provider(name="crashes", target="slow_target:make", revision=1, summary="", probe="slow_target:crash"),
        Provider(name="declines", target="slow_target:make", revision=1, summary="", probe="slow_target:decline"),
        Provider(name="lacks", target="slow_target:make", revision=1, summary="", needs=["nowhere_to_be_found"],
                 install_hint="pip install nowhere"),
        Provider(name="miscalculates", target="slow_target:Wrong", revision=1, summary=""),
    ]
"""
BACKENDS_TARGET = """
    import os, time
    from renga_backend_numpy.backend import NumpyBackend

    class Wrong(NumpyBackend):
        name = "miscalculates"
        array_types = ()
        scalar_types = ()

        def to_host(self, array):
            return super().to_host(array) + 1

    def hang(): time.sleep(60)
    def crash(): os.abort()
    def decline(): return "the moon is full"
"""


def test_doctor_survives_what_hangs_crashes_and_miscalculates(shell):
    shell.install("slow", BACKENDS, modules={"slow_target": BACKENDS_TARGET})
    started_at = time.monotonic()
    outcome = shell.renga("doctor", "--timeout", "8", "--json")
    assert time.monotonic() - started_at < 55, "it waited for what hangs"
    found = {row["what"]: (row["state"], row["about"]) for row in json.loads(outcome.out)}
    assert found["array_backend slow:hangs"] == ("broken", "no answer in 8 s")
    assert found["array_backend slow:crashes"][0] == "broken"
    assert found["array_backend slow:crashes"][1].startswith("ended with status -6.")
    assert found["array_backend slow:declines"][0] == "unavailable"
    assert "the moon is full" in found["array_backend slow:declines"][1]
    assert found["array_backend slow:lacks"] == (
        "unavailable",
        "module 'nowhere_to_be_found' is not installed. pip install nowhere",
    )
    state, about = found["array_backend slow:miscalculates"]
    assert state == "broken"
    assert "transfer there and back" in about
    assert found["array_backend numpy:numpy"][0] == "ready"
    assert outcome.status == 1


def test_doctor_says_once_what_holds_for_many():
    from renga.cli.doctor import Finding, _grouped

    missing = "module 'cupy' is not installed. pip install it"
    found = [
        Finding("plugin cupy", "ready", "renga 0.1.0"),
        Finding("array_backend cupy:cupy", "unavailable", missing),
        Finding("kernel numba:a", "ready", "its probe found no problem"),
        Finding("kernel cupy:x", "unavailable", missing),
        Finding("kernel cupy:y", "unavailable", missing),
        Finding("kernel cupy:z", "unavailable", f"{missing} too"),
        Finding("kernel numba:b", "ready", "its probe found no problem"),
        Finding("kernel other:x", "unavailable", missing),
    ]
    assert _grouped(found) == [
        found[0],
        ("3 providers of cupy", "unavailable", f"{missing}. Affected: array_backend cupy; kernel x, y"),
        ("2 providers of numba", "ready", "its probe found no problem"),
        found[5],
        found[7],
    ]


SHARED_PROBE = """
@hookimpl
def renga_models():
    return [Provider(name=name, target="many_target:make", revision=1, summary="", probe="many_target:probe")
            for name in ("one", "two", "three")]
"""
SHARED_PROBE_TARGET = """
    def probe():
        with open("probed", "a") as file:
            file.write("x")
        return "the moon is full"
"""


def test_doctor_runs_a_probe_that_providers_share_once(shell):
    shell.install("many", SHARED_PROBE, modules={"many_target": SHARED_PROBE_TARGET})
    outcome = shell.renga("-p", "no:mpi", "doctor", "--json")
    found = {row["what"]: row["about"] for row in json.loads(outcome.out) if row["what"].startswith("model many:")}
    assert list(found) == ["model many:one", "model many:two", "model many:three"]
    assert all("the moon is full" in about for about in found.values())
    assert (shell.folder / "probed").read_text() == "x"


def test_doctor_is_content_where_all_is_well(shell):
    outcome = shell.renga("doctor")
    assert outcome.status == 0
    assert outcome.out.endswith("\nAll is well.\n")
    assert "computes on 1 device: transfer, matrix product, sum of exp, random numbers" in outcome.out
    assert ("\nmpi ranks " in outcome.out) == (importlib.util.find_spec("mpi4py") is not None)


def test_plugins_show(shell):
    shell.install("bad", "raise RuntimeError('no licence')")
    about = shell.renga("plugins", "show", "bad").out
    assert "state:    broken" in about
    assert "RuntimeError: no licence" in about.splitlines()[-1]
    assert "Traceback (most recent call last):" in about, "the whole error is kept"
    about = shell.renga("plugins", "show", "optimizers:adam").out
    assert "kind:          optimizer" in about
    assert "target:        renga_optimizers" in about
    assert next(line.split()[:5] for line in about.splitlines() if line.startswith("alpha")) == [
        "alpha",
        "float",
        "0.001",
        "Step",
        "size;",
    ]
    refused(
        shell.renga("-p", "no:bad", "plugins", "show", "adm"),
        "no plugin or provider is called 'adm'. Did you mean 'adam'?\nNext: list everything with `renga plugins list`.",
    )


def test_plugins_show_tells_why_arguments_are_not_known(shell):
    offers = "[Provider('bad', 'bad_target:Bad', 1, 'x'), Provider('odd', 'os:getcwd', 1, 'x', needs=('nowhere',))]"
    shell.install(
        "bad",
        f"@hookimpl\ndef renga_optimizers(): return {offers}\n",
        modules={"bad_target": "print('loud')\nclass Stop(BaseException): pass\nraise Stop('bye')"},
    )
    outcome = shell.renga("plugins", "show", "bad:bad", "--json")
    (provider,) = json.loads(outcome.out)["providers"]
    assert provider["arguments"] == "not known: importing bad_target:Bad raised Stop: bye"
    assert "arguments:  not known while it is unavailable" in shell.renga("plugins", "show", "odd").out


def test_plugins_show_tells_arguments_of_what_is_named_as_its_plugin(shell):
    """As `renga new` makes them."""
    shell.install(
        "mine",
        "@hookimpl\ndef renga_optimizers(): return [Provider('mine', 'mine_target:Mine', 1, 'x')]\n",
        modules={"mine_target": "class Mine:\n    def __init__(self, rate: float = 0.5) -> None: pass\n"},
    )
    about = shell.renga("plugins", "show", "mine").out
    assert about.startswith("plugin:")
    assert ["rate", "float", "0.5"] in [line.split()[:3] for line in about.splitlines()]
    assert ["optimizer", "mine", "ready", "x"] in [line.split() for line in about.splitlines()]
    (provider,) = json.loads(shell.renga("plugins", "show", "mine", "--json").out)["providers"]
    assert [argument["name"] for argument in provider["arguments"]] == ["rate"]


def test_arguments_of_every_provider_that_is_shipped_are_known():
    """Names, and for nearly all what they mean; of whatever kind."""
    for kind in (OPTIMIZER, EXTENSION, MODEL, DATASET, TRIGGER, LINK, FUNCTION):
        for name in registry(kind).names():
            for argument in arguments_of(registry(kind).get(name)):
                assert argument.name.isidentifier(), (kind.name, name)
    documented = {it.name: it.about for it in arguments_of(registry(OPTIMIZER).get("momentum_sgd"))}
    assert all(documented.values()), documented


def test_plugins_list_is_short_and_can_be_filtered(shell):
    shell.install("bad", "raise RuntimeError('no licence')")
    overview = shell.renga("plugins", "list").out.splitlines()
    assert len(overview) < 35
    models = str(len(registry(MODEL).names()))
    assert any(line.split()[:3] == ["model", models, models] for line in overview)
    assert any("no licence" in line for line in overview)
    lines = shell.renga("plugins", "list", "--plugin", "optimizers", "--text", "grad").out.splitlines()
    assert {line.split()[2] for line in lines[1:-2]} == {"optimizers"}
    assert lines[-1].startswith(f"{len(lines) - 3} in all, ")
    rows = json.loads(shell.renga("plugins", "list", "--state", "broken", "--json").out)
    assert [row["plugin"] for row in rows] == ["bad"]
    assert len(shell.renga("plugins", "list", "--all").out.splitlines()) > 300
    assert "Did you mean 'optimizers'?" in shell.renga("plugins", "list", "--plugin", "optimizer").err


def test_plugins_why(shell):
    outcome = shell.renga("plugins", "why", "backend", "numpy")
    assert outcome.status == 0
    assert outcome.out.startswith("array_backend: numpy (from command line)\n  chosen numpy:numpy (renga 0.1.0)\n")
    outcome = shell.renga("plugins", "why", "optimizer", "nadam", "adam", "--json")
    reason = json.loads(outcome.out)
    assert reason["chosen"] == "optimizers:adam"
    assert [skipped["name"] for skipped in reason["skipped"]] == ["nadam"]
    assert shell.renga("plugins", "why", "optimizer", "nadam").status == 1


@pytest.mark.parametrize("name", ["optimizer:adam", "optimizers:adam", "optimizer:optimizers:adam"])
def test_plugins_are_asked_about_by_kind_and_name_in_one(shell, name):
    why = shell.renga("plugins", "why", name)
    assert (why.status, why.out.splitlines()[1].strip()) == (0, "chosen optimizers:adam (renga 0.1.0)"), why
    shown = shell.renga("plugins", "show", name)
    assert (shown.status, shown.out) == (0, shell.renga("plugins", "show", "optimizers:adam").out)
    rows = json.loads(shell.renga("plugins", "list", name, "--json").out)
    assert [(row["kind"], row["name"]) for row in rows] == [("optimizer", "adam")]


def test_a_kind_with_a_short_name_is_known_before_a_colon_too(shell):
    assert shell.renga("plugins", "why", "backend:numpy").out == shell.renga("plugins", "why", "backend", "numpy").out
    assert shell.renga("plugins", "show", "backend:numpy").out == shell.renga("plugins", "show", "numpy:numpy").out
    assert "no kind named 'optimiser'. Did you mean 'optimizer'?" in shell.renga("plugins", "why", "optimiser:adam").err
    assert shell.renga("plugins", "why", "optimizer:none").status == 1


KERNELS = """
@hookimpl
def renga_kernels():
    def kernel(**fields):
        return Kernel(op="linear", backend="numpy", target="fast_target:Fast", summary="", **fields)

    return [
        kernel(name="slow", priority=-1),
        kernel(name="fast", priority=1000, supports="fast_target:yes"),
        kernel(name="absent", priority=2000, needs=["nowhere_to_be_found"]),
    ]
"""


def test_kernels_tell_order_and_reason(shell):
    shell.install("fast", KERNELS)
    every = json.loads(shell.renga("kernels", "--json").out)
    steps = [step for step in every if step["backend"] == "numpy"]
    linear = {step["implementation"]: step["when"] for step in steps if step["operation"] == "linear"}
    assert next(iter(linear.items())) == ("fast:fast", "if it supports the arguments: priority 1000")
    names = [name for name in linear if name.startswith("fast:") or name == "reference"]
    assert names == ["fast:fast", "fast:slow", "reference", "fast:absent"]
    assert linear["fast:slow"] == "always: priority -1"
    assert linear["reference"] == "never: fast:slow handles all arguments"
    assert linear["fast:absent"] == "never: unavailable: module 'nowhere_to_be_found' is not installed"
    normalization = [
        step
        for step in steps
        if step["operation"] == "batch_normalization" and not step["when"].startswith("never: unavailable")
    ]
    assert normalization[-1]["implementation"] == "reference"
    assert normalization[-1]["when"] in ("otherwise", "always: no plugin offers a kernel")


def test_a_demanded_kernel_and_an_unknown_operation(shell):
    shell.write("pyproject.toml", '[tool.renga.kernels]\nlinear = "reference"\n')
    for step in json.loads(shell.renga("kernels", "linear", "--json").out):
        assert (step["implementation"], step["when"]) == ("reference", "always: required (from pyproject.toml)")
    outcome = shell.renga("kernels", "liner")
    assert outcome.status == 2
    assert outcome.err.startswith("renga: error: no operation named 'liner'. Did you mean 'linear'? Known: ")
