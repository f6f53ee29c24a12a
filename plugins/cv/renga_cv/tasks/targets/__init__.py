"""Losses of networks that find objects: what the tasks `detection` and `instance_segmentation` train.

Each is called with lists of host arrays, an entry for each picture: images, boxes or masks, classes.

- `target`: `DetectionTarget`, what they have in common.
- `multibox`: of `SSD`, and of the small network that also masks objects.
- `regions`: of Faster R-CNN on VGG16, of Light-Head R-CNN, and of FCIS.
- `pyramid`: of Faster R-CNN and Mask R-CNN on a pyramid of features.
"""
