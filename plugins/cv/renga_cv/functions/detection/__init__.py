"""Functions that convert a network's output for many boxes to objects, for the method `detect` of detectors.

`predict` of a detector does the same on the host, for many images at once. The functions are differentiable, except the
choice of boxes, and can be exported: a function without an operator in ONNX writes its nodes by a method ``to_onnx``.

- `choosing`: selects boxes: the highest scores, non-maximum suppression, the best of each class.
- `boxes`: boxes moved, clipped, resized.
- `anchors`: boxes at each place of a feature map.
- `masks`: masks of boxes, put into the image.
- `scaling`: the factor by which an image was resized, from its size.
- `objects`: what `detect` returns. `nodes`: common base classes of these functions.
"""
