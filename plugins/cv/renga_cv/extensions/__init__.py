"""Trainer extensions of vision.

- `detection_voc_evaluator`, `detection_coco_evaluator`: average precision of boxes.
- `instance_segmentation_voc_evaluator`, `instance_segmentation_coco_evaluator`: average precision of masks.
- `semantic_segmentation_evaluator`: intersection over union, accuracies.
- `detection_vis_report`: pictures with the predicted boxes.
- `make_shift`: sets a hyperparameter from a function of the trainer.
- `prediction_evaluator`: the base class of the evaluators.
"""
