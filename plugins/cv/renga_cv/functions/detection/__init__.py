"""Convert a network's output for many boxes to objects, with functions, for the method `detect` of detectors.

`predict` of a detector does the same on the host, for many images at once. What is here is differentiable, but for the
choice of boxes, and can be exported: each function that ONNX has no operator for writes its nodes itself, by a method
``to_onnx``.

- `choosing`: which boxes to take: the highest scores, those that overlap no better one, the best of each class.
- `boxes`: boxes moved, clipped, resized.
- `anchors`: boxes at each place of a feature map.
- `masks`: masks of boxes, put into the image.
- `scaling`: by how much an image was resized, from its size.
- `objects`: what `detect` returns. `nodes`: what these functions have in common as nodes of a graph.
"""
