"""Small files under the names that examples of data sets use, so that the examples run without a download."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import struct
import tarfile
import zipfile
from contextlib import chdir
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from renga.run import build, load
from renga_data.datasets import remote

SIZE = 24, 32
BOXES = "file,x_min,y_min,x_max,y_max,class\na.jpg,2,4,20,16,cat\na.jpg,8,3,30,20,dog\nb.jpg,1,2,9,10,dog\n"
OBJECT = """<annotation><object><name>dog</name><difficult>0</difficult>
<bndbox><xmin>3</xmin><ymin>5</ymin><xmax>20</xmax><ymax>16</ymax></bndbox></object></annotation>"""


def write_folders(root: Path) -> None:
    """Write the folders of data sets that are not downloaded by Renga, and folders of one's own pictures."""
    for folder in (
        _voc,
        _sbd,
        _coco,
        _ade20k,
        _camvid,
        _cityscapes,
        _birds,
        _products,
        _own_pictures,
        _networks,
        _run,
    ):
        folder(root)


def write_mirror(root: Path) -> dict[str, Any]:
    """Write small files in place of those that are downloaded.

    Returns:
        What stands for the constants of `renga_data.datasets.remote`, by their names.
    """
    images, labels = np.zeros((4, 28, 28), np.uint8), np.arange(4, dtype=np.uint8)
    files: dict[str, Any] = {}
    for name in ("MNIST", "FASHION_MNIST", "KUZUSHIJI_MNIST"):
        contents = [_mnist(images), _mnist(labels)] * 2
        made = [_offer(root, file, content) for file, content in zip(getattr(remote, name), contents, strict=True)]
        files[name] = remote.MnistFiles(*made)
    texts = (" we are <unk> \n", " we \n", " are \n")
    files["PTB"] = remote.TextFiles(
        *(_offer(root, *each) for each in zip(remote.PTB, map(str.encode, texts), strict=True))
    )
    ten = [f"cifar-10-batches-bin/{part}.bin" for part in (*(f"data_batch_{i}" for i in range(1, 6)), "test_batch")]
    hundred = ["cifar-100-binary/train.bin", "cifar-100-binary/test.bin"]
    for name, members, labels_each in (("CIFAR10", ten, 1), ("CIFAR100", hundred, 2)):
        files[name] = _offer(root, getattr(remote, name), _archive(members, bytes(2 * (labels_each + 3072))))
    for name in ("SVHN_TRAIN", "SVHN_TEST"):
        files[name] = _offer(root, getattr(remote, name), _svhn())
    weights = root / "pfnet" / "chainercv" / "models" / "net.npz"
    weights.parent.mkdir(parents=True)
    weights.touch()
    return files


def _offer(root: Path, file: remote.RemoteFile, content: bytes) -> remote.RemoteFile:
    path = root / file.dataset / file.name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return file._replace(size=len(content), sha256=hashlib.sha256(content).hexdigest())


def _mnist(array: np.ndarray) -> bytes:
    return gzip.compress(struct.pack(f">HBB{array.ndim}I", 0, 8, array.ndim, *array.shape) + array.tobytes())


def _archive(members: list[str], content: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        for name in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def _svhn() -> bytes:
    savemat = pytest.importorskip("scipy.io", reason="SVHN's files are MATLAB's").savemat
    stream = io.BytesIO()
    savemat(stream, {"X": np.zeros((32, 32, 3, 2), np.uint8), "y": np.array([[1], [10]])})
    return stream.getvalue()


def _text(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _picture(path: Path, pixels: np.ndarray | None = None) -> None:
    image = pytest.importorskip("PIL.Image", reason="pictures are read with Pillow")
    path.parent.mkdir(parents=True, exist_ok=True)
    image.fromarray(np.full((*SIZE, 3), 100, np.uint8) if pixels is None else pixels).save(path)


def _classes(*values: int) -> np.ndarray:
    """A picture of labels: a column for each value."""
    return np.resize(np.array(values, np.uint8), SIZE)


def _palette(path: Path, pixels: np.ndarray) -> None:
    image = pytest.importorskip("PIL.Image", reason="pictures are read with Pillow")
    path.parent.mkdir(parents=True, exist_ok=True)
    made = image.fromarray(pixels).convert("P")
    made.putdata(pixels.reshape(-1).tolist())
    made.save(path)


def _voc(root: Path) -> None:
    folder = root / "VOCdevkit" / "VOC2012"
    for task in ("Main", "Segmentation"):
        _text(folder / "ImageSets" / task / "val.txt", "2008_000002")
    _picture(folder / "JPEGImages" / "2008_000002.jpg")
    _text(folder / "Annotations" / "2008_000002.xml", OBJECT)
    _palette(folder / "SegmentationClass" / "2008_000002.png", _classes(0, 12, 255))
    _palette(folder / "SegmentationObject" / "2008_000002.png", _classes(0, 1, 255))


def _sbd(root: Path) -> None:
    savemat = pytest.importorskip("scipy.io", reason="SBD's files are MATLAB's").savemat
    folder = root / "benchmark_RELEASE" / "dataset"
    _text(folder / "val_voc2012.txt", "a")
    _picture(folder / "img" / "a.jpg")
    for name, variable, pixels in (("cls", "GTcls", _classes(0, 12)), ("inst", "GTinst", _classes(0, 1))):
        (folder / name).mkdir()
        savemat(folder / name / "a.mat", {variable: {"Segmentation": pixels, "Categories": np.array([1])}})


def _coco(root: Path) -> None:
    folder = root / "coco"
    categories = [{"id": 1, "name": "person"}, {"id": 13, "name": "stop sign"}]
    outline = {"size": list(SIZE), "counts": [0, SIZE[0] * 4, SIZE[0] * (SIZE[1] - 4)]}
    found = {"image_id": 7, "category_id": 1, "bbox": [0, 0, 4, SIZE[0]], "area": 96.0, "iscrowd": 0}
    images = [{"id": 7, "file_name": "7.jpg", "height": SIZE[0], "width": SIZE[1]}]
    annotations = [{**found, "segmentation": outline}]
    document = {"images": images, "categories": categories, "annotations": annotations}
    _text(folder / "annotations" / "instances_val2017.json", json.dumps(document))
    panoptic = [{"file_name": "7.png", "segments_info": [{"id": 5, "category_id": 13}]}]
    document = {"categories": categories, "annotations": panoptic}
    _text(folder / "annotations" / "panoptic_val2017.json", json.dumps(document))
    _picture(folder / "images" / "val2017" / "7.jpg")
    _picture(folder / "annotations" / "panoptic_val2017" / "7.png", np.full((*SIZE, 3), (5, 0, 0), np.uint8))


def _ade20k(root: Path) -> None:
    folder = root / "ADEChallengeData2016"
    _picture(folder / "images" / "validation" / "a.jpg")
    _palette(folder / "annotations" / "validation" / "a.png", _classes(0, 5))
    _picture(root / "release_test" / "testing" / "a.jpg")


def _camvid(root: Path) -> None:
    _text(root / "CamVid" / "val.txt", "/SegNet/CamVid/val/a.png /SegNet/CamVid/valannot/a.png")
    _picture(root / "CamVid" / "val" / "a.png")
    _palette(root / "CamVid" / "valannot" / "a.png", _classes(0, 10, 11))


def _cityscapes(root: Path) -> None:
    for part in ("val", "test"):
        _picture(root / "cityscapes" / "leftImg8bit" / part / "ulm" / "ulm_0_1_leftImg8bit.png")
    _palette(root / "cityscapes" / "gtFine" / "val" / "ulm" / "ulm_0_1_gtFine_labelIds.png", _classes(7, 26))


def _birds(root: Path) -> None:
    folder = root / "CUB_200_2011"
    _text(folder / "images.txt", "1 001.Black_footed_Albatross/a.jpg")
    _text(folder / "image_class_labels.txt", "1 1")
    _text(folder / "bounding_boxes.txt", "1 3.0 2.0 10.0 8.0")
    _text(folder / "parts" / "part_locs.txt", *(f"1 {part} {part}.0 1.0 1" for part in range(1, 16)))
    _picture(folder / "images" / "001.Black_footed_Albatross" / "a.jpg")


def _products(root: Path) -> None:
    folder = root / "Stanford_Online_Products"
    _text(folder / "Ebay_test.txt", "image_id class_id super_class_id path", "1 11319 1 bicycle_final/a.JPG")
    _picture(folder / "bicycle_final" / "a.JPG")


def _own_pictures(root: Path) -> None:
    for name in ("cat/1.png", "cat/2.png", "dog/1.png", "dog/2.png"):
        _picture(root / "animals" / name)
    for name in ("a.jpg", "b.jpg"):
        _picture(root / "street" / name)
    _text(root / "street" / "boxes.csv", BOXES.rstrip())
    images = [{"id": i, "file_name": f"{name}.jpg"} for i, name in enumerate("ab")]
    annotations = [{"image_id": i, "category_id": 1, "bbox": [2, 4, 10, 8]} for i in range(2)]
    document = {"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "dog"}]}
    _text(root / "street" / "annotations.json", json.dumps(document))
    with zipfile.ZipFile(root / "animals.zip", "w") as archive:
        for name in ("cat/1.png", "dog/1.png"):
            archive.write(root / "animals" / name, name)
    _text(root / "labels.txt", "cat/1.png 0", "dog/1.png 1")
    _text(root / "poem.txt", *["a poem of many links, "] * 20)


def _networks(root: Path) -> None:
    field = b"".join(
        bytes([tag, len(text)]) + text for tag, text in ((10, b"relu"), (18, b"ReLU"), (26, b"data"), (34, b"relu"))
    )
    (root / "net.caffemodel").write_bytes(b"\xa2\x06" + bytes([len(field)]) + field)  # field 100: a layer
    units, hidden, layers, heads, words, length = 8, 12, 1, 2, 10, 16
    numbers = words * units + layers * (2 * units + 4 * units**2 + 3 * units * hidden) + units + length * units // heads
    header = struct.pack("<7i", units, hidden, layers, heads, heads, words, length)
    (root / "llama2c.bin").write_bytes(header + bytes(4 * numbers))


def _run(root: Path) -> None:
    """A run file, its data, and what it has made: one epoch, without output to the terminal."""
    _text(root / "houses.csv", "area,rooms,price", *(f"{50 + 10 * i},{2 + i % 4},{100 + 20 * i}" for i in range(20)))
    choices = {"task": "regression", "model": "mlp", "data": "csv", "optimizer": "adam"}
    tables = [f'[{table}]\nuse = "{name}"' for table, name in choices.items()]
    tables[2] += '\npath = "houses.csv"\ntarget = "price"\nbatch_size = 8'
    _text(root / "houses.toml", "[run]", "epochs = 1", "standard_extensions = []", *tables)
    with chdir(root):
        build(load("houses.toml")).trainer.run()
