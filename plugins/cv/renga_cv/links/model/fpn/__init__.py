"""Detection and instance segmentation on a pyramid of features (Lin et al. 2017, "FPN"; He et al. 2017, "Mask R-CNN").

Reading guide
-------------
- `faster_rcnn`: `FasterRCNN`, a detector made of parts, with or without masks. `faster_rcnn_fpn_resnet`: on ResNet.
- `feature_pyramid`: `FPN`, features of an image at several scales. `rpn`: which anchors may contain an object.
- `bbox_head`: what a region is, and its box. `mask_head`: which of its pixels. `levels`: regions by scale. `masks`:
  masks of regions, small and in the size of the image.
- `align_on_levels`: features of regions, each from its level, as one function.
- `rpn_loss`, `bbox_head_loss`, `mask_head_loss`: losses of each part. `misc`: shared code.
"""
