"""SSD: detection in one stage, at several sizes (Liu et al. 2016, «SSD: Single Shot MultiBox Detector»).

- `ssd`: `SSD`, the detector for any extractor and head. `ssd_vgg16`: `SSD300` and `SSD512`.
- `multibox`: the head. `multibox_coder`: default boxes. `multibox_loss`: the loss.
- `normalize`: a layer of the extractor. `gradient_scaling`: a hook of update rules.
- `transforms`: random changes of training pictures.
"""
