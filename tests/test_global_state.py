"""The comparison of what is global, before and after each test, finds each kind of change: support/global_state.py."""

import multiprocessing
import os
import random
import subprocess
import sys
import threading
import warnings
from multiprocessing.shared_memory import SharedMemory

import global_state
import numpy as np
import pytest

import renga
from renga_core.configuration import config, global_config
from renga_core.graph import Variable
from renga_core.link import Link
from renga_core.settings import layers


@pytest.fixture(autouse=True)
def little_patience(monkeypatch):
    """What is left behind here stays until it is undone: to wait for it would only take time."""
    monkeypatch.setattr(global_state, "PATIENCE", 2.0)


def changed(change, undo=lambda: None):
    """Names of the parts in which a change is found; and that it is put back, by the comparison itself or by `undo`."""
    before = global_state.take()
    change()
    try:
        found = global_state.changes(before)
    finally:
        undo()
    assert global_state.changes(before) == {}
    return found


def test_nothing_is_found_where_nothing_changed():
    assert changed(lambda: None) == {}


def test_configuration_of_the_thread():
    found = changed(lambda: setattr(config, "keep_graph_on_report", True))
    assert found == {"configuration": "keep_graph_on_report: False before, True after"}
    assert not config.keep_graph_on_report


def test_configuration_of_all_threads():
    assert list(changed(lambda: setattr(global_config, "train", False))) == ["configuration"]
    assert global_config.train


def test_a_value_that_is_set_to_what_it_was_is_no_change():
    assert changed(lambda: setattr(config, "train", True)) == {}


def test_but_it_is_taken_away_since_it_hides_the_default():
    before = global_state.take()
    config.train = True
    before["configuration"].restore_own()
    assert "train" not in vars(config)


def test_settings(tmp_path):
    using = renga.using(seed=3)
    assert "settings" in changed(using.__enter__, lambda: using.__exit__(None, None, None))
    assert layers.lookup("run.seed").origin == "default"


def test_environment():
    assert "A_TEST" in changed(lambda: os.environ.update(A_TEST="1"))["environment"]
    assert "A_TEST" not in os.environ


def test_current_folder(tmp_path):
    before = os.getcwd()
    assert list(changed(lambda: os.chdir(tmp_path))) == ["current folder"]
    assert os.getcwd() == before


def test_threads():
    end = threading.Event()
    thread = threading.Thread(target=end.wait, name="left behind", daemon=True)
    found = changed(thread.start, lambda: (end.set(), thread.join()))
    assert "left behind" in found["threads"]


def test_a_thread_that_ends_soon_is_none_that_is_left():
    assert changed(threading.Timer(0.2, lambda: None).start) == {}


def test_processes():
    made = []
    command = [sys.executable, "-c", "input()"]
    found = changed(
        lambda: made.append(subprocess.Popen(command, stdin=subprocess.PIPE)),
        lambda: made[0].communicate(b"\n"),
    )
    assert list(found) == ["processes"]
    assert "input()" in found["processes"]


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_a_process_that_nobody_waits_for():
    process = multiprocessing.get_context("fork").Process(target=os._exit, args=(0,))
    assert list(changed(process.start, process.join)) == ["processes"]


@pytest.mark.skipif(not global_state.SHARED_MEMORY.is_dir(), reason="looks for it where Linux shows it")
def test_shared_memory():
    made = []
    found = changed(lambda: made.append(SharedMemory(create=True, size=8)), lambda: (made[0].close(), made[0].unlink()))
    assert made[0].name in found["shared memory"]


@pytest.mark.parametrize("draw", [random.random, np.random.rand])
def test_random_state(draw):
    assert list(changed(draw)) == ["global random state of Python and NumPy"]


def test_warnings():
    filters = list(warnings.filters)
    found = changed(lambda: warnings.simplefilter("ignore"), lambda: warnings.filters.__setitem__(slice(None), filters))
    assert list(found) == ["warnings"]


def test_path():
    assert "/nowhere" in changed(lambda: sys.path.append("/nowhere"))["import hooks and path"]
    assert "/nowhere" not in sys.path


def test_import_hooks():
    assert list(changed(lambda: sys.meta_path.insert(0, object()))) == ["import hooks and path"]


def test_the_layer_for_chainer_undoes_what_it_does():
    import renga_chainer

    if renga_chainer.installed():
        pytest.skip("it is installed for the whole run: -p renga_chainer.pytest")

    def install_and_uninstall():
        renga_chainer.install()
        assert "methods of Renga's classes" in global_state.changes(before, restore=False)
        renga_chainer.uninstall()

    before = global_state.take()
    assert changed(install_and_uninstall) == {}


def test_modules(monkeypatch):
    import wave

    with monkeypatch.context() as patch:
        found = changed(lambda: patch.delitem(sys.modules, "wave"), patch.undo)
    assert "wave" in found["imported modules"]
    assert sys.modules["wave"] is wave


@pytest.mark.parametrize("place", [Variable, Link])
def test_methods(place):
    original = vars(place)["__repr__"]
    found = changed(lambda: setattr(place, "__repr__", lambda self: ""), lambda: setattr(place, "__repr__", original))
    assert f"{place.__name__}.__repr__" in found["methods of Renga's classes"]


def test_interpreter():
    before = np.geterr()
    found = changed(lambda: np.seterr(divide="ignore"), lambda: np.seterr(**before))
    assert "NumPy's errors" in found["interpreter"]


def test_random_numbers_of_renga_begin_at_the_same_seed_in_each_test():
    here = renga.random.get_state()
    renga.random.seed(0)
    assert here == renga.random.get_state()
