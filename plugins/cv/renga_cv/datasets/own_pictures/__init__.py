"""A user's own pictures, with boxes that a file tells: for run files.

- `boxes_csv`: the file is a table. `coco_json`: it is a document in COCO's format.
- `pictures_with_boxes`: `PicturesWithBoxes`, the data set that both make.
"""
