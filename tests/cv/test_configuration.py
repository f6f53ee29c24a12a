"""The entries of the configuration that say which library reads and changes pictures."""

import subprocess
import sys

import pytest

from renga_core.configuration import Config, config, global_config, using_config
from renga_cv.configuration import add_entries, library_for

ENTRIES = ("cv_read_image_backend", "cv_resize_backend", "cv_rotate_backend")


def test_once_plugins_are_loaded_entries_can_be_read_before_they_are_set():
    program = f"import renga; renga.cv.transforms.resize; print([getattr(renga.config, name) for name in {ENTRIES}])"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "[None, None, None]\n"


def test_defaults_do_not_replace_what_is_set(monkeypatch):
    for name in ENTRIES:
        monkeypatch.setattr(Config, name, "PIL", raising=False)
    add_entries()
    assert global_config.cv_resize_backend == config.cv_resize_backend == "PIL"


def test_none_is_the_library_that_is_installed(monkeypatch):
    pytest.importorskip("PIL")
    monkeypatch.setattr("renga_cv.configuration.require", lambda *args: None)
    for installed, library in ((None, "PIL"), (object(), "cv2")):
        monkeypatch.setattr("importlib.util.find_spec", lambda name, found=installed: found)
        with using_config("cv_resize_backend", None):
            assert library_for("resize") == library
