"""Files: one or two, whole or not at all."""

import errno
import os

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L

onnx = pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")

from onnx import numpy_helper  # noqa: E402

from renga.onnx import load  # noqa: E402
from renga_core.errors import RengaError  # noqa: E402
from renga_onnx import export, export_testcase  # noqa: E402
from renga_onnx.exporting import network, storing  # noqa: E402

X = np.linspace(-1, 1, 200, dtype=np.float32).reshape(2, 100)


@pytest.fixture
def large(monkeypatch):
    """A network whose weights are too large for one file, if that had 1000 bytes at most."""
    monkeypatch.setattr(network, "LARGEST", 1000)
    monkeypatch.setattr(storing, "LARGEST", 1000)
    return renga.Sequential(L.Linear(100, 10), F.relu, lambda x: F.reshape(x, (2, 5, 2)), L.Linear(10, 3))


def everything(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_file(tmp_path):
    export(L.Linear(100, 2), X, tmp_path / "new folder" / "the model.onnx", save_text=True)
    assert sorted(everything(tmp_path / "new folder")) == ["the model.onnx", "the model.txt"]
    model = onnx.load(tmp_path / "new folder" / "the model.onnx")
    assert model.producer_name == "renga"
    assert 'name: "W"' in (tmp_path / "new folder" / "the model.txt").read_text()


def test_large_weights_are_stored_beside_the_model(tmp_path, large):
    returned = export(large, X, tmp_path / "model.onnx")
    files = everything(tmp_path)
    assert sorted(files) == ["model.onnx", "model.onnx.data"]
    assert len(files["model.onnx.data"]) == 4000, "shapes and short weights stay in the model"
    assert len(files["model.onnx"]) < 2000
    for model in (returned, onnx.load(tmp_path / "model.onnx")):
        stored = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
        np.testing.assert_array_equal(stored["0/W"], large[0].W.array)
    onnx.checker.check_model(str(tmp_path / "model.onnx"), full_check=True)


def test_what_reads_the_pair_computes_the_same(tmp_path, large):
    export(large, X, tmp_path / "model.onnx")
    expected = large(X).array
    np.testing.assert_allclose(load(tmp_path / "model.onnx")(X).array, expected, rtol=1e-5, atol=1e-6)
    ort = pytest.importorskip("onnxruntime", reason="pip install onnxruntime")
    session = ort.InferenceSession(str(tmp_path / "model.onnx"), providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(session.run(None, {"Input_0": X})[0], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("room", [0, 500, 3000, 4000, 4500])
def test_a_full_disk_leaves_what_was_there(tmp_path, large, monkeypatch, room):
    export(large, X, tmp_path / "model.onnx", save_text=True)
    before = everything(tmp_path)
    large[0].W.array += 1
    left = room

    class File:
        def __init__(self, file):
            self.file = file

        def __getattr__(self, name):
            return getattr(self.file, name)

        def write(self, data):
            nonlocal left
            left -= len(data)
            if left < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return self.file.write(data)

    original = storing.atomic_write

    class opened:
        def __init__(self, *args):
            self.manager = original(*args)

        def __enter__(self):
            return File(self.manager.__enter__())

        def __exit__(self, *error):
            return self.manager.__exit__(*error)

    monkeypatch.setattr(storing, "atomic_write", opened)
    with pytest.raises(OSError, match=r"the model cannot be written: No space left on device: '.*model\.onnx'"):
        export(large, X, tmp_path / "model.onnx")
    assert everything(tmp_path) == before
    with pytest.raises(OSError, match="No space left"):
        export(large, X, tmp_path / "other.onnx", save_text=True)
    assert everything(tmp_path) == before


def test_a_folder_of_that_name(tmp_path):
    (tmp_path / "model.onnx").mkdir()
    with pytest.raises(OSError, match=r"the model cannot be written: it is a folder: '.*model\.onnx'"):
        export(F.relu, X, tmp_path / "model.onnx")
    assert everything(tmp_path / "model.onnx") == {}


def test_a_file_where_a_folder_should_be(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OSError, match=r"the model cannot be written: .*: '.*file/model\.onnx'"):
        export(F.relu, X, tmp_path / "file" / "model.onnx")
    assert everything(tmp_path) == {"file": b"mine"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_read_only(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError, match=r"the model cannot be written: Permission denied: '.*/model\.onnx'"):
        export(F.relu, X, tmp_path / "model.onnx")
    assert everything(tmp_path) == {}


def test_nothing_is_written_of_what_cannot_be_exported(tmp_path):
    with pytest.raises(TypeError, match="the network returns None"):
        export(lambda x: None, X, tmp_path / "folder" / "model.onnx")
    assert everything(tmp_path) == {}


def test_a_test_case_replaces_another_one(tmp_path):
    export_testcase(lambda a, b: (a, b, a + b), [X, X], tmp_path)
    export_testcase(L.Linear(100, 1), X, tmp_path)
    assert sorted(everything(tmp_path / "test_data_set_0")) == ["input_0.pb", "output_0.pb"]


def test_a_test_case_without_gradients_writes_nothing(tmp_path):
    with pytest.raises(RengaError, match="no parameter has"):
        export_testcase(L.Linear(100, 1), X, tmp_path / "folder", output_grad=True)
    assert everything(tmp_path) == {}
