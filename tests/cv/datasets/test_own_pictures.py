"""Pictures of one's own, with a CSV or a JSON file of boxes."""

import json

import numpy as np
import pytest

from renga_core.errors import RengaError
from renga_cv.datasets.own_pictures.boxes_csv import get_boxes_csv
from renga_cv.datasets.own_pictures.coco_json import get_coco_json
from renga_cv.tasks.coco_document import CocoDocument

Image = pytest.importorskip("PIL.Image")

ROWS = """\
file,x_min,y_min,x_max,y_max,class,note
a.png,1,2,5.5,8,dog,
a.png,0,0,3,3,cat,seen from behind
b.png,,,,,,nothing
c.png,4,4,6,7,dog,
"""
BOXES = {
    "a.png": ([[2, 1, 8, 5.5], [0, 0, 3, 3]], ["dog", "cat"]),
    "b.png": ([], []),
    "c.png": ([[4, 4, 7, 6]], ["dog"]),
}


@pytest.fixture
def folder(tmp_path):
    for number, name in enumerate(BOXES):
        Image.new("RGB", (12, 10), (number * 40, 10, 200)).save(tmp_path / name)
    (tmp_path / "boxes.csv").write_text(ROWS)
    document = CocoDocument(["cat", "dog"])
    for name, (boxes, labels) in BOXES.items():
        document.add(name, (10, 12), boxes, [["cat", "dog"].index(label) for label in labels], np.ones(len(labels)))
    document.write(tmp_path / "boxes.json")
    return tmp_path


def as_told(split):
    """The pictures' red values, with their boxes and the names of the classes."""
    return {
        f"{'abc'[round(float(image[0, 0, 0]) / 40)]}.png": (
            boxes.tolist(),
            [split.preprocessing.classes[i] for i in labels],
        )
        for part in split
        for image, boxes, labels in part
    }


@pytest.mark.parametrize(("get", "name"), [(get_boxes_csv, "boxes.csv"), (get_coco_json, "boxes.json")])
def test_both_files_tell_the_same(folder, get, name):
    split = get(str(folder / name), test_ratio=0.4)
    assert split.preprocessing.classes == ("cat", "dog")
    assert [len(part) for part in split] == [2, 1]
    assert as_told(split) == BOXES
    image, boxes, labels = split[0][0]
    assert (image.dtype, image.shape, boxes.dtype, labels.dtype) == (np.float32, (3, 10, 12), np.float32, np.int32)


def test_pictures_can_be_elsewhere(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("tables") / "boxes.csv"
    elsewhere.write_text(ROWS)
    assert as_told(get_boxes_csv(str(elsewhere), folder=str(folder))) == BOXES
    with pytest.raises(RengaError, match=r"no picture .*a\.png, and 2 more"):
        get_boxes_csv(str(elsewhere))


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("a.png,5,2,5,8,dog,", "line 6: a box from x 5, y 2 to x 5, y 8 has no area"),
        ("a.png,5,2,,8,dog,", "line 6.*x_max"),
        ("a.png,5,2,6,8,,", "line 6, column 'class': a missing value"),
        ("a.png,5,2,wide,8,dog,", "line 6.*x_max.*wide"),
        ("missing.png,1,1,2,2,dog,", r"missing\.png"),
    ],
)
def test_a_wrong_row_is_named(folder, row, told):
    (folder / "boxes.csv").write_text(ROWS + row + "\n")
    with pytest.raises(RengaError, match=told):
        get_boxes_csv(str(folder / "boxes.csv"))


def test_a_column_that_is_not_there_is_named(folder):
    (folder / "boxes.csv").write_text(ROWS.replace("y_max", "ymax"))
    with pytest.raises(RengaError, match=r"no column 'y_max'.*Did you mean 'ymax'"):
        get_boxes_csv(str(folder / "boxes.csv"))


def test_crowds_and_empty_boxes_are_left_out(folder):
    document = json.loads((folder / "boxes.json").read_text())
    document["annotations"][0]["iscrowd"] = 1
    document["annotations"][1]["bbox"][2] = 0
    (folder / "boxes.json").write_text(json.dumps(document))
    assert as_told(get_coco_json(str(folder / "boxes.json")))["a.png"] == ([], [])


@pytest.mark.parametrize("text", ["[]", "{", '{"images": [], "annotations": []}', '{"images": 3}'])
def test_another_document_is_refused(folder, text):
    (folder / "boxes.json").write_text(text)
    with pytest.raises(RengaError, match=r"boxes\.json is not a file in COCO's format, with images"):
        get_coco_json(str(folder / "boxes.json"))


@pytest.mark.usefixtures("draws")
@pytest.mark.parametrize(("get", "name"), [(get_boxes_csv, "boxes.csv"), (get_coco_json, "boxes.json")])
def test_pictures_to_train_on_vary_and_those_to_test_do_not(folder, get, name):
    train, test = get(str(folder / name), test_ratio=0.4, flip=True, crop=True, distort=True, scale=[0.5, 2])
    pictures = {train[0][0].tobytes() for _ in range(8)}
    assert len(pictures) > 1
    assert len({test[0][0].tobytes() for _ in range(8)}) == 1


@pytest.fixture
def outlines(folder):
    """The file, with a mask for each object: a polygon, packed and plain run lengths."""
    document = json.loads((folder / "boxes.json").read_text())
    first, second, third = document["annotations"]
    first["segmentation"] = [[1, 2, 5, 2, 5, 8, 1, 8]]
    second["segmentation"] = {"size": [10, 12], "counts": [0, 3, 7, 3, 7, 3, 97]}
    third["segmentation"] = {"size": [10, 12], "counts": [44, 3, 7, 3, 63]}
    (folder / "boxes.json").write_text(json.dumps(document))
    return folder / "boxes.json"


def test_masks_of_a_file(outlines):
    pytest.importorskip("pycocotools")
    split = get_coco_json(str(outlines), target_type="masks")
    found = {f"{'abc'[round(float(image[0, 0, 0]) / 40)]}": rest for part in split for image, *rest in part}
    masks, labels = found["a"]
    assert [split.preprocessing.classes[i] for i in labels] == ["dog", "cat"]
    assert (masks.dtype, masks.shape, labels.dtype) == (bool, (2, 10, 12), np.int32)
    assert masks[0].sum() == masks[0, 2:8, 1:5].sum() == 24
    assert masks[1].sum() == masks[1, :3, :3].sum() == 9
    assert found["b"][0].shape == (0, 10, 12)
    np.testing.assert_array_equal(np.argwhere(found["c"][0][0])[[0, -1]], [[4, 4], [6, 5]])


def test_classes_of_pixels_of_a_file(outlines):
    pytest.importorskip("pycocotools")
    split = get_coco_json(str(outlines), target_type="pixels")
    assert split.preprocessing.classes == ("background", "cat", "dog")
    found = {f"{'abc'[round(float(image[0, 0, 0]) / 40)]}": label for part in split for image, label in part}
    assert found["a"].dtype == np.int32
    assert ["".join(map(str, row)) for row in found["a"][:4, :6]] == ["111000", "111000", "111220", "022220"]
    assert not found["b"].any()
    with pytest.raises(ValueError, match="crop = true is for boxes and masks"):
        get_coco_json(str(outlines), target_type="pixels", crop=True)


def test_polygons_without_pycocotools_say_what_to_install(outlines, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RengaError, match=r"the polygons of .*boxes\.json needs .*pycocotools.*\n.*renga\[coco\]"):
        get_coco_json(str(outlines), target_type="masks")


def test_masks_that_are_not_there_or_do_not_fit_are_named(folder, outlines):
    document = json.loads(outlines.read_text())
    for each in document["annotations"][:2]:
        each["segmentation"] = document["annotations"][2]["segmentation"]
    document["annotations"][2]["segmentation"] = {"size": [9, 9], "counts": [81]}
    outlines.write_text(json.dumps(document))
    split = get_coco_json(str(outlines), target_type="masks")
    with pytest.raises(RengaError, match=r"c\.png: the mask of an object does not fit the picture"):
        [example for part in split for example in part]
    del document["annotations"][1]["segmentation"]
    outlines.write_text(json.dumps(document))
    with pytest.raises(RengaError, match=r"no mask \('segmentation'\) for an object 'cat' in a\.png"):
        get_coco_json(str(outlines), target_type="masks")
