import numpy as np
import pytest

from renga_core.serializers import FileDamaged
from renga_cv.datasets.sbd.sbd_instance_segmentation_dataset import SBDInstanceSegmentationDataset
from renga_cv.datasets.voc.labels import voc_bbox_label_names, voc_semantic_segmentation_label_names
from renga_cv.datasets.voc.voc_bbox_dataset import VOCBboxDataset
from renga_cv.datasets.voc.voc_instance_segmentation_dataset import VOCInstanceSegmentationDataset
from renga_cv.datasets.voc.voc_semantic_segmentation_dataset import VOCSemanticSegmentationDataset
from renga_cv.datasets.voc.voc_utils import image_wise_to_instance_wise

OBJECT = """<object><name>{}</name><difficult>{}</difficult>
<bndbox><xmin>{}</xmin><ymin>{}</ymin><xmax>{}</xmax><ymax>{}</ymax></bndbox>
<part><name>head</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax><ymax>2</ymax></bndbox></part></object>"""


@pytest.fixture
def detection(tree):
    tree.text("ImageSets/Main/trainval.txt", "2007_000027", "2007_000032")
    tree.text("ImageSets/Main/test.txt", "2007_000032")
    for name, objects in {
        "2007_000027": OBJECT.format("person", 0, 3, 2, 6, 4) + OBJECT.format("Dog ", 1, 1, 1.5, 5, 4),
        "2007_000032": "",
    }.items():
        tree.picture(f"JPEGImages/{name}.jpg")
        tree.text(f"Annotations/{name}.xml", f"<annotation>{objects}</annotation>")
    return tree


def test_boxes(detection):
    dataset = VOCBboxDataset(detection.root, "trainval", use_difficult=True, return_difficult=True)
    assert (len(dataset), dataset.keys, dataset.ids) == (
        2,
        ("img", "bbox", "label", "difficult"),
        ["2007_000027", "2007_000032"],
    )
    img, bbox, label, difficult = dataset[0]
    assert (img.shape, img.dtype) == ((3, 4, 6), np.float32)
    assert bbox.tolist() == [[1, 2, 3, 5], [0.5, 0, 3, 4]]
    assert [voc_bbox_label_names[i] for i in label] == ["person", "dog"]
    assert difficult.tolist() == [False, True]
    assert (bbox.dtype, label.dtype, difficult.dtype) == (np.float32, np.int32, bool)


def test_boxes_without_difficult_ones_and_pictures_without_objects(detection):
    dataset = VOCBboxDataset(str(detection.root), "trainval")
    assert dataset.slice[:, "label"][0].tolist() == [14]
    img, bbox, label = dataset[1]
    assert (img.shape, bbox.shape, bbox.dtype, label.shape, label.dtype) == (
        (3, 4, 6),
        (0, 4),
        np.float32,
        (0,),
        np.int32,
    )
    assert len(VOCBboxDataset(detection.root, "test", "2007")) == 1


@pytest.mark.parametrize(
    "content",
    [
        "<annotation><object></annotation>",
        "<annotation><object><name>dog</name></object></annotation>",
        f"<annotation>{OBJECT.format('cow', 0, 'left', 1, 2, 2)}</annotation>",
        f"<annotation>{OBJECT.format('unicorn', 0, 1, 1, 2, 2)}</annotation>",
    ],
)
def test_damaged_annotations(detection, content):
    path = detection.text("Annotations/2007_000027.xml", content)
    with pytest.raises(FileDamaged, match=str(path)):
        VOCBboxDataset(detection.root, "trainval").slice[:, "bbox"][0]


def test_what_is_not_there(detection):
    with pytest.raises(ValueError, match=r"'train', 'val', 'trainval', not 'test'"):
        VOCBboxDataset(detection.root, "test")
    with pytest.raises(ValueError, match="year must be one of '2007', '2012', not '2011'"):
        VOCBboxDataset(detection.root, "train", "2011")
    with pytest.raises(FileNotFoundError, match=r"VOCBboxDataset: there is no file .*Main.val.txt"):
        VOCBboxDataset(detection.root, "val")
    (detection.root / "JPEGImages/2007_000027.jpg").unlink()
    with pytest.raises(FileNotFoundError, match=r"2007_000027\.jpg"):
        VOCBboxDataset(detection.root, "trainval")[0]


CLASSES = [[0, 15, 15, 255], [0, 15, 255, 1], [0, 255, 1, 1]]
INSTANCES = [[0, 1, 1, 255], [0, 3, 255, 2], [0, 255, 2, 2]]


@pytest.fixture
def segmentation(tree):
    tree.text("ImageSets/Segmentation/train.txt", "a")
    tree.picture("JPEGImages/a.jpg", size=(3, 4))
    tree.pixels("SegmentationClass/a.png", CLASSES)
    tree.pixels("SegmentationObject/a.png", INSTANCES)
    return tree


def test_classes_of_pixels(segmentation):
    dataset = VOCSemanticSegmentationDataset(segmentation.root)
    img, label = dataset[0]
    assert (img.shape, label.dtype) == ((3, 3, 4), np.int32)
    assert label.tolist() == [[0, 15, 15, -1], [0, 15, -1, 1], [0, -1, 1, 1]]
    assert voc_semantic_segmentation_label_names[15] == "person"


def test_instances(segmentation):
    dataset = VOCInstanceSegmentationDataset(segmentation.root)
    assert dataset.keys == ("img", "mask", "label")
    check_instances(*dataset.slice[:, ("mask", "label")][0])


def check_instances(mask, label):
    assert (mask.dtype, label.dtype) == (bool, np.int32)
    assert label.tolist() == [14, 0, 14]
    assert mask.tolist() == [[[x == n for x in row] for row in INSTANCES] for n in (1, 2, 3)]


def test_instances_of_nothing():
    mask, label = image_wise_to_instance_wise(np.zeros((2, 3), np.int32), np.zeros((2, 3), np.int32))
    assert (mask.shape, mask.dtype, label.shape, label.dtype) == ((0, 2, 3), bool, (0,), np.int32)


def test_sbd(tree):
    io = pytest.importorskip("scipy.io")
    tree.text("val_voc2012.txt", "a")
    tree.picture("img/a.jpg", size=(3, 4))
    for folder, variable, array in (("cls", "GTcls", CLASSES), ("inst", "GTinst", INSTANCES)):
        (tree.root / folder).mkdir()
        content = {variable: {"Segmentation": np.array(array, np.uint8), "Categories": np.array([1])}}
        io.savemat(tree.root / folder / "a.mat", content)
    dataset = SBDInstanceSegmentationDataset(tree.root, "val")
    assert dataset[0][0].shape == (3, 3, 4)
    check_instances(*dataset[0][1:])
    (tree.root / "inst/a.mat").write_bytes(b"nothing")
    with pytest.raises(FileDamaged, match=r"a\.mat"):
        dataset[0]
    with pytest.raises(FileNotFoundError, match=r"train_voc2012\.txt"):
        SBDInstanceSegmentationDataset(tree.root)
