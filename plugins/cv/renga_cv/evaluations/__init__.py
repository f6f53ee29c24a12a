"""How good predictions are.

- `eval_detection_voc`, `eval_instance_segmentation_voc`: average precision as of PASCAL VOC.
- `eval_detection_coco`, `eval_instance_segmentation_coco`: as of COCO, by pycocotools.
- `eval_semantic_segmentation`: intersection over union, and accuracies.
- `voc_matching`, `coco_tools`, `images`: what these have in common.
"""
