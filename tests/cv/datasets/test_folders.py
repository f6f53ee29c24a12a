"""``data_dir="auto"``: archives of real layout, from an address that is a file."""

import shutil
import tarfile

import numpy as np
import pytest

import renga
from renga_core.serializers import FileRefused
from renga_cv.datasets import folders
from renga_cv.datasets.coco import coco_utils
from renga_cv.datasets.coco.coco_semantic_segmentation_dataset import COCOSemanticSegmentationDataset
from renga_cv.datasets.sbd import sbd_utils
from renga_cv.datasets.voc import voc_utils
from renga_cv.datasets.voc.voc_bbox_dataset import VOCBboxDataset
from renga_data.datasets.download import DownloadError


@pytest.fixture
def root(tmp_path):
    with renga.using({"dataset.root": str(tmp_path / "cache")}):
        yield tmp_path / "cache/pfnet/chainercv"


def packed(tree, kind="tar"):
    """An archive of what is in the tree, as an address."""
    made = shutil.make_archive(str(tree.root.parent / f"{tree.root.name}_packed"), kind, tree.root)
    return f"file://{made}"


def test_what_is_missing_is_downloaded_once(tree, root, monkeypatch):
    tree.text("VOCdevkit/VOC2012/ImageSets/Main/train.txt", "a")
    tree.picture("VOCdevkit/VOC2012/JPEGImages/a.jpg")
    tree.text("VOCdevkit/VOC2012/Annotations/a.xml", "<annotation/>")
    address = packed(tree)
    monkeypatch.setitem(voc_utils._ARCHIVES, ("2012", "trainval"), address)
    assert VOCBboxDataset()[0][0].shape == (3, 4, 6)
    assert VOCBboxDataset().data_dir == str(root / "voc/VOCdevkit/VOC2012")
    monkeypatch.setattr(folders, "cached_download", None)
    VOCBboxDataset()


def test_unpacking_that_was_interrupted_is_done_again(tree, root, monkeypatch):
    tree.text("first.txt", "1")
    tree.text("second.txt", "2")
    address = packed(tree)
    unpack = folders.extractall

    def interrupted(*arguments):
        unpack(*arguments)
        (root / "some/second.txt").unlink()
        raise KeyboardInterrupt

    monkeypatch.setattr(folders, "extractall", interrupted)
    with pytest.raises(KeyboardInterrupt):
        folders.unpacked("some", address, "first.txt")
    monkeypatch.setattr(folders, "extractall", unpack)
    folders.unpacked("some", address, "first.txt")
    assert sorted(path.name for path in (root / "some").iterdir()) == ["first.txt", "second.txt"]


@pytest.mark.parametrize("damage", ["cut short", "leads out"])
def test_archives_that_are_refused(damage, tree, root):
    """The message says which data set it is for, which file in the cache to delete, and what is wrong with it."""
    path = tree.root / "a.tar"
    with tarfile.open(path, "w") as archive:
        archive.add(tree.text("first.txt", "x" * 2000), "../first.txt" if damage == "leads out" else "first.txt")
    if damage == "cut short":
        path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(FileRefused, match=r"_dl_cache.*a\.tar, for .*some, cannot be unpacked: .*Delete the file"):
        folders.unpacked("some", path.as_uri(), "first.txt")
    assert not list(root.rglob("*.txt"))


def test_an_address_without_anything(tmp_path, root):
    with pytest.raises(DownloadError, match=r"nothing\.tar"):
        folders.unpacked("some", f"file://{tmp_path}/nothing.tar", "first.txt")


def test_archives_in_archives(tree, root, monkeypatch, tmp_path_factory):
    """COCO's pictures of labels are packed in the archive of annotations."""
    inner = type(tree)(tmp_path_factory.mktemp("inner"))
    inner.pixels("panoptic_val2017/0.png", np.zeros((4, 6, 3), np.uint8))
    tree.text(
        "annotations/panoptic_val2017.json",
        '{"categories": [], "annotations": [{"file_name": "0.png", "segments_info": []}]}',
    )
    shutil.copy(packed(inner, "zip").removeprefix("file://"), tree.root / "annotations/panoptic_val2017.zip")
    monkeypatch.setitem(coco_utils._ANNOTATIONS, ("panoptic", "2017", "val"), packed(tree, "zip"))
    pictures = type(tree)(tmp_path_factory.mktemp("zips"))
    pictures.picture("val2017/0.jpg")
    shutil.move(packed(pictures, "zip").removeprefix("file://"), pictures.root / "val2017.zip")
    (pictures.root / "zips").mkdir()
    shutil.move(pictures.root / "val2017.zip", pictures.root / "zips/val2017.zip")
    monkeypatch.setattr(coco_utils, "_URL", f"file://{pictures.root}")
    img, label = COCOSemanticSegmentationDataset(split="val")[0]
    assert img.shape == (3, 4, 6)
    assert (label == -1).all()


def test_lists_of_sbd(tree, root, monkeypatch):
    tree.text("benchmark_RELEASE/dataset/train.txt", "c", "a")
    tree.text("benchmark_RELEASE/dataset/val.txt", "b", "d")
    address = packed(tree, "gztar")
    monkeypatch.setattr(sbd_utils, "_URL", shutil.move(address[7:], address[7:-7] + ".tgz") and address[:-7] + ".tgz")
    monkeypatch.setattr(sbd_utils, "_TRAIN_URL", f"file://{tree.text('train_noval.txt', 'd', 'a')}")
    for split, expected in (("train", "d a"), ("val", "b c"), ("trainval", "a b c d")):
        folder = sbd_utils.get_sbd(split)
        assert folder == str(root / "sbd/benchmark_RELEASE/dataset")
        assert (root / f"sbd/benchmark_RELEASE/dataset/{split}_voc2012.txt").read_text().split() == expected.split()
