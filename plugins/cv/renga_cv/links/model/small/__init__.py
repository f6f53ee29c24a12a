"""Small networks to read and to train in minutes on a processor: for digit scenes, and pictures of such sizes.

- `pyramid`: `SmallPyramid`, feature maps at two or three resolutions, on which the others are built.
- `segmenter`: `SmallSegmenter`, for semantic segmentation.
- `detector`: `SmallDetector`, which finds objects.
- `instance_segmenter`: `SmallInstanceSegmenter`, which masks them, too. `box_masks`: masks in the cells of boxes.
"""
