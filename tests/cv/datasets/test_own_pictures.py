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
    with pytest.raises(RengaError, match=r"boxes\.json is no document with images"):
        get_coco_json(str(folder / "boxes.json"))
