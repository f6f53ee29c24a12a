"""Metrics of predictions.

- `eval_detection_voc`, `eval_instance_segmentation_voc`: average precision as PASCAL VOC defines it.
- `eval_detection_coco`, `eval_instance_segmentation_coco`: the same as COCO defines it; pycocotools computes it.
- `eval_semantic_segmentation`: intersection over union, and accuracies.
- `voc_matching`, `coco_tools`, `images`: shared code.
"""
