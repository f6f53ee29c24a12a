"""Detection and instance segmentation on a pyramid of features (Lin et al. 2017, "FPN"; He et al. 2017, "Mask R-CNN").

Reading guide
-------------
- `faster_rcnn`: `FasterRCNN`, a detector made of parts, with or without masks. `faster_rcnn_fpn_resnet`: on ResNet.
- `feature_pyramid`: `FPN`, features of an image at several scales. `rpn`: scores of anchors for containing an object.
- `bbox_head`: class and box of a region. `mask_head`: mask of a region. `levels`: regions by scale. `masks`:
  masks of regions, small and in the size of the image.
- `align_on_levels`: features of regions, each from its own level, as one function.
- `rpn_loss`, `bbox_head_loss`, `mask_head_loss`: losses of each part. `misc`: shared code.
"""
