import sys
from pathlib import Path

import pytest

FOLDER = str(Path(__file__).parents[1])
REPLACED = ("cupy", "cupyx", "cudnn", "renga_backend_cupy")


@pytest.fixture
def devices(monkeypatch):
    """The simulated devices; CuPy and the plugin are imported anew, and forgotten afterwards."""
    monkeypatch.syspath_prepend(FOLDER)
    before = dict(sys.modules)
    for name in before:
        if name.partition(".")[0] in REPLACED:
            del sys.modules[name]
    from stand_in.install import install

    devices = install()
    yield devices
    for name in sys.modules.keys() - before.keys():
        if name.partition(".")[0] in REPLACED:
            del sys.modules[name]
    sys.modules.update(before)


@pytest.fixture
def cp(devices):
    """The stand-in for the module `cupy`."""
    return sys.modules["cupy"]
