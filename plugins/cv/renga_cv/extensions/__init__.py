"""Trainer extensions of vision.

- `detection_voc_evaluator`, `detection_coco_evaluator`: average precision of boxes.
- `instance_segmentation_voc_evaluator`, `instance_segmentation_coco_evaluator`: average precision of masks.
- `semantic_segmentation_evaluator`: intersection over union, accuracies.
- `detection_vis_report`: pictures with the boxes found.
- `make_shift`: a hyperparameter as a function of the trainer.
- `prediction_evaluator`: what the evaluators have in common.
"""
