"""Pictures, boxes and points, changed together.

Each function that changes a picture has a counterpart for boxes and for points, where they move with it. Functions that
draw their parameters return them with ``return_param=True``, to be passed to the counterparts::

    img, param = random_flip(img, x_random=True, return_param=True)
    bbox = flip_bbox(bbox, img.shape[1:], x_flip=param["x_flip"])

Parameters are drawn with Python's `random`, those of `pca_lighting` and `random_rotate` with ``numpy.random``.

- `image`: images. `bbox`: boxes. `point`: points.
"""
