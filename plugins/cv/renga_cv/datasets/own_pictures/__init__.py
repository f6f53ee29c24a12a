"""A user's own pictures, with boxes or masks that a file tells: for run files.

- `boxes_csv`: the file is a table. `coco_json`: it is a document in COCO's format.
- `pictures_with_boxes`: `PicturesWithBoxes`, the data set that both make.
- `variation`: how pictures to train on are changed.
"""
