"""Tasks for pictures: detection and segmentation.

- `picture_task`: the base class `PictureTask`: compares predictions with the truth, and draws them.
- `semantic_segmentation`: a class for each pixel. `detection`: a box around each object.
  `instance_segmentation`: a mask for each object. `targets`: the losses of these two.
- `evaluator`: `PredictionEvaluator`, metrics of all predictions, also over several processes.
- `detection_evaluators`: the metrics of PASCAL VOC and COCO.
- `drawing`: draws predictions on pictures. `coco_document`: predictions as a file in COCO's format.
- `converter`: `pictures`, for pictures with different numbers of objects.
"""
