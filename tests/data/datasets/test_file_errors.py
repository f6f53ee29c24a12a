"""Files from elsewhere that are damaged, cut or made to take much memory: refused in one sentence, with their names."""

import gzip
import io
import random
import struct
import tracemalloc
import warnings
import zipfile

import numpy as np
import pytest

from renga_core.serializers import FileRefused
from renga_data.datasets import (
    ImageDataset,
    LabeledImageDataset,
    LabeledZippedImageDataset,
    ZippedImageDataset,
    open_pickle_dataset,
    open_pickle_dataset_writer,
)
from renga_data.datasets.mnist import read_idx

Image = pytest.importorskip("PIL.Image")

NOISE = np.random.RandomState(0).randint(0, 256, (20, 30, 3), np.uint8)


def image(form, pixels=NOISE, **options):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, form, **options)
    return file.getvalue()


def idx(shape=(20, 30)):
    return gzip.compress(struct.pack(f">HBB{len(shape)}I", 0, 8, len(shape), *shape) + NOISE[..., 0].tobytes())


def archive(method=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as written:
        written.writestr("a.png", image("PNG"))
        written.writestr("b.bmp", image("BMP"))
    return file.getvalue()


def pickles(path):
    with open_pickle_dataset(path) as dataset:
        return dataset[:]


def labelled(path):
    return LabeledImageDataset(path)._pairs


KINDS = {
    **{form: (image(form), lambda path: ImageDataset([path])[0]) for form in ("PNG", "JPEG", "GIF", "BMP", "TIFF")},
    "idx": (idx(), read_idx),
    "deflated": (archive(), lambda path: ZippedImageDataset(path)[:]),
    "stored": (archive(zipfile.ZIP_STORED), lambda path: ZippedImageDataset(path)[:]),
    "bzip2": (archive(zipfile.ZIP_BZIP2), lambda path: ZippedImageDataset(path)[:]),
    "lzma": (archive(zipfile.ZIP_LZMA), lambda path: ZippedImageDataset(path)[:]),
    "pairs": ("ä.png 1\nb.png 2\n".encode(), labelled),
    "list": ("ä.png\nb.png\n".encode(), lambda path: ImageDataset(path)._paths),
}


def damaged(content, generator):
    """One damage after another: bits turned, pieces cut out, doubled or overwritten, the end missing."""
    for _ in range(150):
        data = bytearray(content)
        for _ in range(generator.choice((1, 1, 1, 3, 10))):
            at = generator.randrange(len(data) + 1) if data else 0
            some = generator.randrange(1, 40)
            kind = generator.randrange(5)
            if kind == 0 and at < len(data):
                data[at] ^= 1 << generator.randrange(8)
            elif kind == 1:
                del data[at:]
            elif kind == 2:
                del data[at : at + some]
            elif kind == 3:
                data[at:at] = data[:some]
            else:
                data[at : at + some] = generator.randbytes(some)
        yield bytes(data)
    for size in (0, 1, 4, 100):
        yield generator.randbytes(size)


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_read_or_refused_by_name(tmp_path, kind):
    content, read = KINDS[kind]
    path = tmp_path / f"file.{kind}"
    path.write_bytes(content)
    read(path)
    refused = []
    for data in damaged(content, random.Random(kind)):
        path.write_bytes(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's, about what it mends
            try:
                read(path)
            except ValueError as error:
                refused.append(error)
    assert len(refused) > 20
    for error in refused:
        assert path.name in str(error)
        assert isinstance(error, FileRefused) or "line " in str(error)
        assert "\n" not in str(error)


def test_damaged_pickles(tmp_path):
    path = tmp_path / "file.pickle"
    with open_pickle_dataset_writer(path) as writer:
        writer.write([1, 2.5, "text"])
    content = path.read_bytes()
    for data in (content[:-3], b"garbage", content + b"cnobody\nnothing\n.", content + b"\x80\x09."):
        path.write_bytes(data)
        with pytest.raises(Exception, match=r"file\.pickle is not a file of pickled examples, or ends within example"):
            pickles(path)


def bomb_of_zeros(shape):
    return gzip.compress(struct.pack(f">HBB{len(shape)}I", 0, 8, len(shape), *shape) + bytes(np.prod(shape)))


def large_png():
    return image("PNG", np.zeros((20_000, 10_000), np.uint8), compress_level=9)


def large_member():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as written:
        written.writestr("a.png", image("PNG") + bytes(1 << 27))
    return file.getvalue()


BOMBS = {
    "idx": (lambda: bomb_of_zeros((1 << 27,)), read_idx),
    "idx of many": (lambda: idx((1 << 31, 1 << 31)), read_idx),
    "idx of more than said": (lambda: gzip.compress(gzip.decompress(idx()) + bytes(1 << 27)), read_idx),
    "image": (large_png, lambda path: ImageDataset([path])[0]),
    "member": (large_member, lambda path: ZippedImageDataset(path)[0]),
}


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
@pytest.mark.parametrize("kind", BOMBS)
def test_small_files_that_would_take_much_memory(tmp_path, kind):
    make, read = BOMBS[kind]
    path = tmp_path / "file"
    path.write_bytes(make())
    assert path.stat().st_size < 1 << 20
    tracemalloc.start()
    try:
        with pytest.raises(FileRefused, match="file"):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 25
    finally:
        tracemalloc.stop()


def test_a_large_image_in_one_colour_is_read(tmp_path):
    path = tmp_path / "file.png"
    path.write_bytes(image("PNG", np.zeros((5000, 6000), np.uint8)))
    assert ImageDataset([path], dtype=np.uint8)[0].shape == (1, 5000, 6000)


def test_a_label_that_does_not_fit(tmp_path):
    (tmp_path / "a.png").write_bytes(image("PNG"))
    (tmp_path / "labels.txt").write_text(f"a.png {2**40}\n")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as written:
        written.writestr("a.png", image("PNG"))
    for dataset in (
        LabeledImageDataset(tmp_path / "labels.txt", tmp_path),
        LabeledZippedImageDataset(tmp_path / "a.zip", tmp_path / "labels.txt"),
    ):
        with pytest.raises(ValueError, match=r"the label of .*a\.png, 1099511627776, does not fit int32"):
            dataset[0]
