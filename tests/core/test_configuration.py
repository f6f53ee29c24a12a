import io
import threading

import numpy as np
import pytest

from renga_core.configuration import Config, config, global_config, unusual, using_config
from renga_core.graph import FunctionHook, get_function_hooks


def in_a_thread(ask):
    found = []
    thread = threading.Thread(target=lambda: found.append(ask()))
    thread.start()
    thread.join()
    return found[0]


def test_defaults():
    assert config.train
    assert config.enable_backprop
    assert not config.debug
    assert not config.keep_graph_on_report
    assert config.dtype == np.float32


def test_a_change_concerns_this_thread_only():
    config.train = False
    try:
        assert in_a_thread(lambda: config.train)
        assert global_config.train
    finally:
        del config.train
    assert config.train


def test_global_config_concerns_every_thread_without_a_value_of_its_own():
    global_config.train = False
    try:
        assert not config.train
        assert not in_a_thread(lambda: config.train)
        config.train = True
        assert config.train
        del config.train
        assert not config.train
    finally:
        global_config.train = True
    assert in_a_thread(lambda: config.train)


def test_entries_of_ones_own():
    with pytest.raises(AttributeError):
        config.my_entry  # noqa: B018
    global_config.my_entry = 1
    assert config.my_entry == in_a_thread(lambda: config.my_entry) == 1
    with using_config("my_entry", 2):
        assert (config.my_entry, global_config.my_entry) == (2, 1)
    del global_config.my_entry
    assert not hasattr(config, "my_entry")
    with using_config("another", 3):
        assert config.another == 3
    assert not hasattr(config, "another")


def test_using_config_nests_and_puts_back_after_an_error():
    with using_config("train", False):
        with pytest.raises(RuntimeError, match="True"), using_config("train", True):
            raise RuntimeError(config.train)
        assert config.train is False
        assert in_a_thread(lambda: config.train)
    assert config.train is True
    assert "train" not in vars(config)  # a later change of global_config is seen


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("train", "no", "config.train is True or False, not 'no'"),
        ("enable_backprop", "False", "config.enable_backprop is True or False"),
        ("dtype", "mixed_bf16", r"such as ml_dtypes.bfloat16, not 'mixed_bf16'.*use_fp32_update"),
        ("dtype", None, "config.dtype is a floating dtype.*not None"),
        ("dtype", np.int32, "config.dtype is a floating dtype.*int32"),
        ("dtype", 16, "config.dtype is a floating dtype.*not 16"),
    ],
)
def test_a_value_that_would_be_misread_is_refused_at_once(name, value, message):
    before = getattr(config, name)
    for entries in (config, global_config):
        with pytest.raises(TypeError, match=message):
            setattr(entries, name, value)
    with pytest.raises(TypeError, match=message):
        using_config(name, value)
    assert getattr(config, name) == getattr(global_config, name) == before
    assert name not in vars(config)


@pytest.mark.parametrize(("name", "value"), [("dtype", "float16"), ("dtype", "<f8"), ("debug", 1), ("mine", "no")])
def test_other_values_are_accepted(name, value):
    with using_config(name, value):
        assert getattr(config, name) == value


def test_bfloat16_is_accepted():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    with using_config("dtype", bfloat16):
        assert config.dtype is bfloat16


def test_the_block_may_delete_the_entry():
    with using_config("train", False):
        del config.train
        assert config.train
    assert config.train


@pytest.mark.parametrize("which", [config, global_config])
def test_show(which):
    with using_config("train", False):
        text = io.StringIO()
        which.show(file=text)
    entries = dict(line.split(maxsplit=1) for line in text.getvalue().splitlines())
    assert entries["train"] == ("False" if which is config else "True")
    assert entries["enable_backprop"] == "True"
    assert list(entries) == sorted(entries)
    assert "show" not in entries


def test_using_config_decorates():
    @using_config("train", False)
    def trains(depth):
        return (config.train, *(trains(depth - 1) if depth else ()))

    assert trains(2) == (False, False, False)
    assert config.train
    assert trains.__name__ == "trains"


class TestUnusual:
    """What the engine relies on: nothing in it means that no thread has debug mode, hooks, or graphs switched off."""

    @pytest.fixture(autouse=True)
    def as_at_the_start(self):
        """Other tests may have asked for this thread's hooks, which then may be changed at any time."""
        vars(config).pop("function_hooks", None)
        unusual.clear()

    def test_it_is_empty_once_everything_is_as_before(self):
        assert not unusual
        with using_config("debug", True), using_config("enable_backprop", False):
            assert {name for _, name in unusual} == {"debug", "enable_backprop"}
            with using_config("enable_backprop", True):
                assert {name for _, name in unusual} == {"debug"}
            assert len(unusual) == 2
        assert not unusual
        with using_config("train", False):
            assert not unusual

    def test_assignment_and_deletion_count(self):
        config.debug = True
        assert unusual
        config.debug = False
        assert not unusual
        config.enable_backprop = False
        assert unusual
        del config.enable_backprop
        assert not unusual

    def test_the_default_of_all_threads_counts(self):
        global_config.debug = True
        try:
            with using_config("debug", False):
                assert unusual
        finally:
            global_config.debug = False
        assert not unusual

    def test_threads_do_not_undo_one_another(self):
        def elsewhere():
            with using_config("enable_backprop", False):
                return len(unusual)

        with using_config("enable_backprop", False):
            assert in_a_thread(elsewhere) == 2
            assert unusual
        assert not unusual

    def test_hooks_count(self):
        with FunctionHook():
            assert unusual
        assert not unusual
        hooks = get_function_hooks()
        assert unusual
        assert hooks is get_function_hooks()
        del config.function_hooks
        assert not unusual

    def test_another_configuration_does_not_count(self):
        with using_config("debug", True):
            Config().debug = False
            assert unusual
