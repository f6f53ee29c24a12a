"""A user's own pictures, with boxes or masks from a file, for run files.

- `boxes_csv`: the file is a table. `coco_json`: the file is in COCO's format.
- `pictures_with_boxes`: `PicturesWithBoxes`, the data set that both return.
- `variation`: random changes of training pictures.
"""
