"""Small networks that train in minutes on a CPU, for digit scenes and pictures of such sizes; their code is short.

- `pyramid`: `SmallPyramid`, feature maps at two or three resolutions, on which the others are built.
- `segmenter`: `SmallSegmenter`, for semantic segmentation.
- `detector`: `SmallDetector`, which finds objects.
- `instance_segmenter`: `SmallInstanceSegmenter`, which also predicts masks. `box_masks`: masks in the cells of boxes.
"""
