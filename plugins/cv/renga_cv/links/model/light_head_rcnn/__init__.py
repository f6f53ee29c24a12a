"""Light-Head R-CNN: detection in two stages with few channels for each region (Li et al. 2017).

- `light_head_rcnn`: the detector; `light_head_rcnn_resnet101`: on ResNet-101.
- `global_context_module`: its large filters.
- `train_chain`: the loss, computed from the hardest regions only.
"""
