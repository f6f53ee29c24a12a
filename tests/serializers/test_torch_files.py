import collections
import os
import pickle
import zipfile

import numpy as np
import pytest

from renga_core.serializers import FileDamaged, FileRefused
from renga_serializers.torch_files import load_state_dict

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch
DTYPES = ("float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "bool")


@pytest.fixture(params=[True, False], ids=["zip", "before 1.6"])
def save(request, tmp_path):
    def write(obj):
        torch.save(obj, tmp_path / "net.pth", _use_new_zipfile_serialization=request.param)
        return tmp_path / "net.pth"

    return write


def test_tensors(save):
    base = torch.arange(24.0)
    tensors = {
        "plain": base.reshape(2, 3, 4),
        "transposed": base.reshape(4, 6).t(),
        "part": base[5:9],
        "steps": base[1::5],
        "scalar": torch.tensor(3),
        "empty": torch.zeros(0, 3),
        "parameter": torch.nn.Parameter(torch.ones(2)),
    }
    found = load_state_dict(save(tensors))
    assert list(found) == list(tensors)
    for name, tensor in tensors.items():
        right = tensor.detach().numpy()
        assert found[name].dtype == right.dtype
        np.testing.assert_array_equal(found[name], right)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(save, dtype):
    tensor = torch.tensor([1, 0, 3]).to(getattr(torch, dtype))
    found = load_state_dict(save({"x": tensor}))["x"]
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, tensor.numpy())


def test_bfloat16(save):
    tensor = torch.randn(5).to(torch.bfloat16)
    np.testing.assert_array_equal(load_state_dict(save({"x": tensor}))["x"], tensor.float().numpy())


def test_a_module(save):
    module = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4))
    found = load_state_dict(save(module.state_dict()))
    assert {name: value.shape for name, value in found.items()} == {
        k: tuple(v.shape) for k, v in module.state_dict().items()
    }


@pytest.mark.parametrize("key", ["state_dict", "model"])
def test_a_dictionary_among_others(save, key):
    found = load_state_dict(save({"epoch": 3, key: {"x": torch.ones(2)}}))
    assert found["x"].tolist() == [1, 1]


class Evil:
    def __reduce__(self):
        return os.system, ("false",)


@pytest.mark.parametrize(
    ("obj", "asked"), [(Evil(), "system"), (torch.nn.ReLU(), "torch.nn"), (collections.Counter(), "Counter")]
)
def test_no_code_is_run(save, obj, asked):
    with pytest.raises(FileRefused, match=rf"refers to .*{asked}.*no code is run"):
        load_state_dict(save({"x": torch.ones(1), "y": obj}))


def test_no_tensors(save):
    with pytest.raises(FileRefused, match="no dictionary of tensors"):
        load_state_dict(save({"epoch": 3}))


def test_truncated(save):
    path = save({"x": torch.arange(100.0), "y": torch.ones(3)})
    content = path.read_bytes()
    for size in {0, 1, 10, *range(0, len(content), len(content) // 23)}:
        path.write_bytes(content[:size])
        with pytest.raises(FileDamaged, match=r"net\.pth: damaged or not a file of PyTorch's"):
            load_state_dict(path)


def repickled(path, change):
    """The file with another pickle in it."""
    with zipfile.ZipFile(path) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, change(content) if name.endswith("data.pkl") else content)


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"K\x07\x85", b"K\x09\x85"), (b"QK\x00K\x07", b"QK\x03K\x07"), (b"K\x01\x85", b"K\x03\x85")],
    ids=["shape", "offset", "strides"],
)
def test_a_tensor_outside_of_its_memory(tmp_path, old, new):
    path = tmp_path / "net.pth"
    torch.save({"x": torch.arange(7.0)}, path)

    def change(content):
        assert old in content
        return content.replace(old, new)

    repickled(path, change)
    with pytest.raises(FileDamaged):
        load_state_dict(path)


def test_a_tensor_larger_than_its_memory(tmp_path):
    path = tmp_path / "net.pth"
    torch.save({"x": torch.ones(1).expand(2**40)}, path)
    with pytest.raises(FileDamaged, match="a tensor of shape"):
        load_state_dict(path)


def test_other_files(tmp_path):
    path = tmp_path / "net.pth"
    path.write_bytes(pickle.dumps({"x": 1}))
    with pytest.raises(FileDamaged, match="begins otherwise"):
        load_state_dict(path)
    path.write_bytes(b"")
    with pytest.raises(FileDamaged, match="it is empty"):
        load_state_dict(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x/data.pkl", "", zipfile.ZIP_DEFLATED)
    with pytest.raises(FileDamaged, match="compressed"):
        load_state_dict(path)
    with pytest.raises(FileNotFoundError):
        load_state_dict(tmp_path / "nowhere")
