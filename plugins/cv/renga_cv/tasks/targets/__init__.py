"""Losses of networks that find objects, for the tasks `detection` and `instance_segmentation` .

Each takes lists of host arrays, one entry per picture: images, boxes or masks, classes.

- `target`: the base class `DetectionTarget`.
- `multibox`: of `SSD`, and of the small network that also predicts masks.
- `regions`: of Faster R-CNN on VGG16, of Light-Head R-CNN, and of FCIS.
- `pyramid`: of Faster R-CNN and Mask R-CNN on a pyramid of features.
"""
