"""Vision: from a picture to boxes, masks and classes, behind one interface.

- `links`: networks with `predict`, and what they are made of; `experimental.links`: more of them.
- `datasets`: VOC, COCO, ADE20K and others, read from the folders that they come in.
- `transforms`: pictures, boxes, masks and points, changed together.
- `evaluations`: average precision, intersection over union; `extensions`: the same while training.
- `visualizations`: pictures with boxes, points and masks drawn into them.
- `functions`: position-sensitive pooling of regions. `utils`: reading and writing pictures, boxes and masks.
- `chainer_experimental`: data sets that can be sliced, and a schedule, under ChainerCV's names.

An image is an array (channels, height, width), RGB, float32 from 0 to 255; a box is y_min, x_min, y_max, x_max.
"""

from renga.view import view

__getattr__, __dir__ = view(
    __name__,
    modules=(
        "chainer_experimental datasets evaluations experimental extensions functions links transforms utils "
        "visualizations"
    ),
)
