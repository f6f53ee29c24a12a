import io

import numpy as np
import pytest

from renga_core.errors import RengaError
from renga_data.datasets import get_svhn, remote

savemat = pytest.importorskip("scipy.io", reason="the files are MATLAB's: pip install 'renga[scipy]'").savemat


@pytest.fixture
def made(mirror, monkeypatch):
    arrays = {}
    for i, name in enumerate(("SVHN_TRAIN", "SVHN_TEST", "SVHN_EXTRA")):
        generator = np.random.default_rng(i)
        images = generator.integers(0, 256, (4 + i, 3, 32, 32), np.uint8)
        labels = generator.integers(0, 10, 4 + i)
        labels[0] = 0
        stream = io.BytesIO()
        savemat(stream, {"X": images.transpose(2, 3, 1, 0), "y": np.where(labels == 0, 10, labels)[:, None]})
        file = getattr(remote, name)
        monkeypatch.setattr(remote, name, mirror.add(file.dataset, file.name, stream.getvalue()))
        arrays[name] = images, labels
    return arrays


def test_images_and_labels(made, mirror):
    parts = get_svhn()
    assert [len(part) for part in parts] == [4, 5]
    for part, (images, labels) in zip(parts, made.values(), strict=False):
        for (x, t), image, label in zip(part, images, labels, strict=True):
            np.testing.assert_allclose(x, image / 255, rtol=1e-6)
            assert (x.dtype, t, t.dtype) == (np.float32, label, np.int32)
    assert len(mirror.requests) == 2


def test_options(made):
    _, _, extra = get_svhn(withlabel=False, scale=255.0, dtype=np.float64, add_extra=True)
    np.testing.assert_allclose(extra, made["SVHN_EXTRA"][0])
    assert get_svhn(label_dtype=np.uint8)[0][0][1].dtype == np.uint8
    with pytest.raises(ValueError, match="dtype must be floating"):
        get_svhn(dtype=np.int32)


@pytest.mark.parametrize("content", [b"text", b""])
def test_another_file(made, mirror, monkeypatch, content):
    monkeypatch.setattr(remote, "SVHN_TRAIN", mirror.add("svhn", "train_32x32.mat", content))
    with pytest.raises(ValueError, match=r"train_32x32\.mat: damaged or not a file of SVHN \("):
        get_svhn()


def test_without_scipy(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RengaError, match=r"get_svhn needs the module 'scipy'.*\nNext: pip install 'renga\[scipy\]'"):
        get_svhn()
