"""Tasks for pictures: what networks that detect and segment are trained for.

- `picture_task`: `PictureTask`, what they have in common: predictions are compared with the truth, and drawn.
- `semantic_segmentation`: a class for each pixel. `detection`: a box around each object.
  `instance_segmentation`: a mask for each object. `targets`: the losses of these two.
- `evaluator`: `PredictionEvaluator`, figures of all predictions together, of several processes too.
- `detection_evaluators`: the figures of PASCAL VOC and COCO instead, or as well.
- `drawing`: predictions drawn into pictures. `coco_document`: predictions as a file in COCO's format.
- `converter`: `pictures`, for pictures of which each has another number of objects.
"""
