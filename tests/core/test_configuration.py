import io
import threading

import numpy as np
import pytest

from renga_core.configuration import config, global_config, using_config


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
        with pytest.raises(TypeError, match="'inner'"), using_config("train", "'inner'"):
            raise TypeError(config.train)
        assert config.train is False
        assert in_a_thread(lambda: config.train)
    assert config.train is True
    assert "train" not in vars(config)  # a later change of global_config is seen


def test_the_block_may_delete_the_entry():
    with using_config("train", False):
        del config.train
        assert config.train
    assert config.train


@pytest.mark.parametrize("which", [config, global_config])
def test_show(which):
    with using_config("train", "shown"):
        text = io.StringIO()
        which.show(file=text)
    entries = dict(line.split(maxsplit=1) for line in text.getvalue().splitlines())
    assert entries["train"] == ("'shown'" if which is config else "True")
    assert entries["enable_backprop"] == "True"
    assert list(entries) == sorted(entries)
    assert "show" not in entries
