"""FCIS: instances from position-sensitive maps of inside and outside (Li et al. 2017).

- `fcis`: `FCIS`, made of three parts: features, regions, head. `fcis_resnet101`: on ResNet-101.
- `mask_voting`: merges several masks of one instance. `masks`: masks of a box, resized.
- `train_chain`: the loss. `proposal_target_creator`: the targets of regions.
"""
