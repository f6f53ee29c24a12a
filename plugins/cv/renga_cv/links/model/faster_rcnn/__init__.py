"""Detection in two stages: regions are proposed, then classified (Ren et al. 2015, "Faster R-CNN").

Reading guide
-------------
- `box_coding`: `bbox2loc`, `loc2bbox`: boxes as offsets from other boxes. `anchors`: boxes at each place of a map.
- `region_proposal_network`: scores of anchors for containing an object; `proposal_creator`: selects the best as
  regions.
- `faster_rcnn`: `FasterRCNN`, a detector made of three parts: features, regions, head. `faster_rcnn_vgg`: with VGG-16.
- `train_chain`: the loss. `anchor_target_creator`, `proposal_target_creator`: targets of anchors and regions;
  `sampling`: shared code of both.
"""
