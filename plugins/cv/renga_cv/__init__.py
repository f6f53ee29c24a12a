"""Vision: networks for classification, detection and segmentation, with data sets and metrics; after ChainerCV 0.13.

- `links`: networks with `predict` (`links.model`), and the links they are made of (`links.connection`).
- `datasets`: data sets of pictures, read from the folders that they come in.
- `transforms`: pictures, boxes, masks and points, changed together.
- `evaluations`, `extensions`: metrics of predictions, as functions and as trainer extensions.
- `visualizations`: drawings of boxes, points and masks on pictures.
- `functions`: position-sensitive pooling of regions. `utils`: files, boxes, masks, predictions for whole data sets.
- `plugin`: the parts this package offers to Renga; `providers` holds the tables.

Conventions. An image is a host array (channels, height, width), RGB, float32 from 0 to 255. Sizes are (height, width).
Boxes are float32 (R, 4): y_min, x_min, y_max, x_max. Points are (R, K, 2): y, x. Labels of boxes are int32 (R,), from
0, without a class for the background. Masks of instances are bool (R, H, W). Labels of pixels are int32 (H, W), with -1
for ignored pixels.
"""
