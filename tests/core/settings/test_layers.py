"""Precedence, origins, and the sections whose arguments belong to a name."""

import os
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from renga_core.settings import (
    Setting,
    UnknownSetting,
    WrongType,
    all_settings,
    lookup,
    section,
    using,
    using_command_line,
    using_run_file,
)
from renga_core.settings.schema import SCHEMA

LAYERS = [
    "renga.using",
    "command line --seed",
    "environment RENGA_SEED",
    "run file run.toml",
    "pyproject.toml",
    "default",
]


@pytest.mark.parametrize("top", range(len(LAYERS)))
def test_the_highest_layer_that_says_something_wins_and_is_named(top, monkeypatch):
    seed = {origin: 10 - place for place, origin in enumerate(LAYERS)} | {"default": 0}
    said = LAYERS[top:]
    Path("run.toml").write_text(f"[run]\nseed = {seed['run file run.toml']}\n" if "run file run.toml" in said else "")
    if "pyproject.toml" in said:
        Path("pyproject.toml").write_text(f"[tool.renga.run]\nseed = {seed['pyproject.toml']}\n")
    if "environment RENGA_SEED" in said:
        monkeypatch.setenv("RENGA_SEED", str(seed["environment RENGA_SEED"]))
    with ExitStack() as stack:
        # Entered from the top down: the order in which layers arrive must not matter.
        if "renga.using" in said:
            stack.enter_context(using(seed=seed["renga.using"]))
        if "command line --seed" in said:
            words = {"run.seed": ("--seed", str(seed["command line --seed"]))}
            stack.enter_context(using_command_line(words))
        stack.enter_context(using_run_file("run.toml"))
        assert lookup("run.seed") == Setting("run.seed", seed[said[0]], said[0])
        assert lookup("run.seed", 99) == Setting("run.seed", 99, "argument")
        assert lookup("run.seed", 0) == Setting("run.seed", 0, "argument"), "0 is an answer, None is not"
    assert lookup("run.seed").origin in ("environment RENGA_SEED", "pyproject.toml", "default")


def test_using_nests_and_ends_even_when_its_block_raises():
    with using(seed=1):
        with pytest.raises(ZeroDivisionError), using({"run.seed": 2, "plugins.disable": ["cupy"]}):  # noqa: PT012
            assert lookup("run.seed").value == 2
            assert lookup("plugins.disable").value == ("cupy",)
            raise ZeroDivisionError
        assert lookup("run.seed").value == 1
        assert lookup("plugins.disable") == Setting("plugins.disable", (), "default")
    assert lookup("run.seed").value == 0


def test_a_section_is_not_a_key_and_the_message_says_how_its_keys_are_written():
    with pytest.raises(UnknownSetting, match=r"'run' \(from renga\.using\)\. It is a section: write 'run\.NAME'\."):
        using({"run": {"dtype": "float16"}}).__enter__()


def test_using_concerns_its_own_thread_and_the_command_line_every_thread():
    seen = {}

    def look():
        seen.update(seed=lookup("run.seed").value, epochs=lookup("run.epochs").value)

    with using(seed=5), using_command_line({"run.epochs": ("--epochs", "3")}):
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    assert seen == {"seed": 0, "epochs": 3}


def test_wrong_names_in_code_are_refused_with_the_nearest():
    with pytest.raises(UnknownSetting) as caught, using(sede=1):
        pass
    assert str(caught.value) == (
        "unknown key 'run.sede' (from renga.using). Did you mean 'run.seed'? "
        "Known: run.backend, run.communicator, run.compiler, run.dtype, run.epochs, run.keep_best, "
        "run.keep_every_minutes, run.keep_newest, run.loss_scale, run.out, run.plugin, run.seed, "
        "run.snapshot, run.standard_extensions, run.threads."
    )
    with pytest.raises(UnknownSetting, match=r"unknown key 'optimiser.use' .* Did you mean 'optimizer.use'\?"):
        lookup("optimiser.use")


def test_wrong_types_in_code_are_refused():
    with pytest.raises(WrongType) as caught, using(epochs="three"):
        pass
    assert str(caught.value) == "run.epochs (from renga.using): expected int of at least 1, got 'three' (str)"


def test_preferences_take_any_kind_and_names_with_dots():
    Path("pyproject.toml").write_text('[tool.renga.prefer.function]\n"conv2d.v1" = "acme"\nrelu.v2 = "other"\n')
    assert lookup("prefer.function.conv2d.v1") == Setting("prefer.function.conv2d.v1", "acme", "pyproject.toml")
    assert lookup("prefer.function.relu.v2").value == "other"
    assert lookup("prefer.link.conv2d").value is None


def test_arguments_belong_to_the_name_in_the_same_section():
    Path("run.toml").write_text('[optimizer]\nuse = "adam"\nalpha = 0.1\n[data]\nuse = "digits"\nbatch_size = 8\n')
    with using_run_file("run.toml"):
        assert section("optimizer") == {"alpha": Setting("optimizer.alpha", 0.1, "run file run.toml")}
        with using_command_line({"optimizer.beta1": ("--set", "0.5"), "data.batch_size": ("--set", "4")}):
            assert {name: setting.value for name, setting in section("optimizer").items()} == {
                "beta1": 0.5,
                "alpha": 0.1,
            }
            assert lookup("data.batch_size") == Setting("data.batch_size", 4, "command line --set")
        with using_command_line({"optimizer.use": ("--set", "adam")}):
            assert lookup("optimizer.alpha").value == 0.1, "the same name keeps its arguments"
        with using_command_line({"optimizer.use": ("--set", "sgd"), "optimizer.lr": ("--set", "1")}):
            assert {name: setting.value for name, setting in section("optimizer").items()} == {"lr": 1}
            assert lookup("optimizer.alpha") == Setting("optimizer.alpha", None, "default")
        with using_command_line({"data.use": ("--set", "mnist")}):
            assert lookup("data.batch_size").value == 8, "the batch size is the run's, not the data set's"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 1e-3),
        ("3", 3),
        ("true", True),
        ("relu", "relu"),
        ("[1, 2]", [1, 2]),
        ('"3"', "3"),
        ("cupy:0", "cupy:0"),
    ],
)
def test_arguments_on_the_command_line_are_toml_values_or_plain_words(text, value):
    with using_command_line({"model.x": ("--set", text)}):
        found = lookup("model.x").value
        assert found == value
        assert type(found) is type(value)


def test_wrong_words_on_the_command_line():
    with pytest.raises(WrongType) as caught, using_command_line({"run.epochs": ("--epochs", "many")}):
        pass
    assert str(caught.value) == "run.epochs (from command line --epochs): expected int of at least 1, got 'many' (str)"
    with pytest.raises(WrongType) as caught, using_command_line({"run.epochs": ("--epochs", "1.5")}):
        pass
    assert str(caught.value) == ("run.epochs (from command line --epochs): expected int of at least 1, got 1.5 (float)")
    with pytest.raises(UnknownSetting, match=r"^unknown key 'run.epoch' \(from command line --set\)"):
        using_command_line({"run.epoch": ("--set", "1")}).__enter__()


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("run.epochs", "0"),
        ("run.epochs", "-1"),
        ("run.seed", "-1"),
        ("data.batch_size", "0"),
        ("run.snapshot", '[0, "epoch"]'),
    ],
)
def test_numbers_below_their_bound_are_refused(key, text, monkeypatch):
    with pytest.raises(WrongType, match=r"--set\): expected .*int of at least \d"):
        using_command_line({key: ("--set", text)}).__enter__()
    section, _, name = key.partition(".")
    Path("run.toml").write_text(f"[{section}]\n{name} = {text}\n")
    with pytest.raises(WrongType, match=r"run\.toml\): expected .*int of at least \d"):
        using_run_file("run.toml").__enter__()
    if key == "run.epochs":
        monkeypatch.setenv("RENGA_EPOCHS", text)
        with pytest.raises(
            WrongType, match=r"^run\.epochs \(from environment RENGA_EPOCHS\): expected int of at least 1"
        ):
            lookup("run.seed")


@pytest.mark.parametrize(("text", "value"), [('"here"', "here"), ("'here'", "here"), ("3", "3"), ("it's", "it's")])
def test_text_on_the_command_line_may_be_written_as_toml(text, value):
    with using_command_line({"run.out": ("--set run.out", text)}):
        assert lookup("run.out").value == value


def test_each_key_stands_in_the_schema_once():
    names = [row.name for row in SCHEMA]
    assert len(names) == len(set(names))


def test_nearest_pyproject_counts_and_is_read_again_when_it_changes(tmp_path, monkeypatch):
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.renga.run]\nseed = 1\n")
    monkeypatch.chdir(below)
    assert lookup("run.seed") == Setting("run.seed", 1, os.path.join("..", "..", "pyproject.toml"))
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'nearer'\n")
    assert lookup("run.seed").origin == "default", "the nearest file counts, though it says nothing"
    time.sleep(0.01)
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.renga.run]\nseed = 22\n")
    assert lookup("run.seed") == Setting("run.seed", 22, os.path.join("..", "pyproject.toml"))


def test_all_settings_lists_every_row_and_what_is_said_beyond(monkeypatch):
    monkeypatch.setenv("RENGA_BACKEND", "cupy:0")
    with using({"prefer.link.conv": "acme", "optimizer.alpha": 0.1}):
        found = {setting.key: setting for setting in all_settings()}
    assert found["run.backend"] == Setting("run.backend", "cupy:0", "environment RENGA_BACKEND")
    assert found["run.seed"] == Setting("run.seed", 0, "default")
    assert found["prefer.link.conv"].value == "acme"
    assert found["optimizer.alpha"].value == 0.1
    assert not any("*" in key for key in found)
