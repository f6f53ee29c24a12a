import io
import tarfile

import numpy as np
import pytest

from renga_data.datasets import get_cifar10, get_cifar100, remote

TEN = [f"cifar-10-batches-bin/data_batch_{i}.bin" for i in range(1, 6)] + ["cifar-10-batches-bin/test_batch.bin"]
HUNDRED = ["cifar-100-binary/train.bin", "cifar-100-binary/test.bin"]


def archive(members):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def records(n, n_labels, seed):
    return np.random.default_rng(seed).integers(0, 10 * n_labels, (n, n_labels + 3072), np.uint8)


@pytest.fixture
def ten(mirror, monkeypatch):
    made = {name: records(2, 1, i) for i, name in enumerate(TEN)}
    content = archive({name: array.tobytes() for name, array in made.items()})
    monkeypatch.setattr(remote, "CIFAR10", mirror.add("cifar10", remote.CIFAR10.name, content))
    return made


@pytest.fixture
def hundred(mirror, monkeypatch):
    made = {name: records(3, 2, i) for i, name in enumerate(HUNDRED)}
    content = archive({name: array.tobytes() for name, array in made.items()})
    monkeypatch.setattr(remote, "CIFAR100", mirror.add("cifar100", remote.CIFAR100.name, content))
    return made


def test_cifar10(ten):
    train, test = get_cifar10()
    assert (len(train), len(test)) == (10, 2)
    rows = np.concatenate([ten[name] for name in TEN])
    for (x, t), row in zip([*train, *test], rows, strict=True):
        assert (x.shape, x.dtype, t, t.dtype) == ((3, 32, 32), np.float32, row[0], np.int32)
        np.testing.assert_allclose(x.ravel(), row[1:] / 255, rtol=1e-6)


def test_cifar100_has_fine_labels(hundred):
    train, test = get_cifar100(scale=255.0)
    rows = np.concatenate([hundred[name] for name in HUNDRED])
    for (x, t), row in zip([*train, *test], rows, strict=True):
        assert t == row[1]
        np.testing.assert_array_equal(x.ravel(), row[2:])


def test_options(ten):
    train, _ = get_cifar10(withlabel=False, ndim=1, dtype="float64")
    assert (train.shape, train.dtype) == ((10, 3072), np.float64)
    with pytest.raises(ValueError, match="ndim must be 1 or 3, not 2"):
        get_cifar10(ndim=2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"nothing of the kind", "not a gzip file"),
        (archive({name: records(1, 1, i).tobytes() for i, name in enumerate(TEN)})[:9000], ""),
        (archive({name: bytes(3073) for name in TEN[:-1]}), "test_batch.bin' not found"),
        (archive({name: bytes(3072) for name in TEN}), "cannot reshape"),
    ],
    ids=["text", "cut", "a member missing", "records of another size"],
)
def test_another_archive(mirror, cache, monkeypatch, content, message):
    monkeypatch.setattr(remote, "CIFAR10", mirror.add("cifar10", remote.CIFAR10.name, content))
    with pytest.raises(ValueError, match=rf"cifar-10-binary\.tar\.gz: damaged or not a CIFAR archive \(.*{message}"):
        get_cifar10()
    assert [path.name for path in (cache / "cifar10").iterdir()] == ["cifar-10-binary.tar.gz"]
