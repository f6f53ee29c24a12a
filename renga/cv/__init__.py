"""Computer vision: networks, data sets, transforms, evaluation and visualization, with one common interface.

- `links`: networks with the method `predict`, and their parts; `experimental.links`: more networks.
- `datasets`: VOC, COCO, ADE20K and others, read from the folders of their original archives.
- `transforms`: change images together with their boxes, masks and points.
- `evaluations`: average precision, intersection over union; `extensions`: the same during training.
- `visualizations`: draw images with boxes, points and masks.
- `functions`: position-sensitive pooling of regions. `utils`: read and write images, boxes and masks.
- `chainer_experimental`: data sets that can be sliced, and a learning-rate schedule, under ChainerCV's names.

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
