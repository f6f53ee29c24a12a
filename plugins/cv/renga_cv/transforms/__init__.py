"""Transforms of pictures, boxes and points.

Each function that moves pixels has a counterpart for boxes and for points. Functions that draw random parameters return
them with ``return_param=True``; pass them to the counterparts::

    img, param = random_flip(img, x_random=True, return_param=True)
    bbox = flip_bbox(bbox, img.shape[1:], x_flip=param["x_flip"])

Random parameters come from Python's `random`; `pca_lighting` and `random_rotate` use ``numpy.random``.

- `image`: images. `bbox`: boxes. `point`: points.
"""
