# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.evaluations.eval_detection_coco import eval_detection_coco as eval_detection_coco
from renga_cv.evaluations.eval_detection_voc import calc_detection_voc_ap as calc_detection_voc_ap
from renga_cv.evaluations.eval_detection_voc import calc_detection_voc_prec_rec as calc_detection_voc_prec_rec
from renga_cv.evaluations.eval_detection_voc import eval_detection_voc as eval_detection_voc
from renga_cv.evaluations.eval_instance_segmentation_coco import eval_instance_segmentation_coco as eval_instance_segmentation_coco
from renga_cv.evaluations.eval_instance_segmentation_voc import calc_instance_segmentation_voc_prec_rec as calc_instance_segmentation_voc_prec_rec
from renga_cv.evaluations.eval_instance_segmentation_voc import eval_instance_segmentation_voc as eval_instance_segmentation_voc
from renga_cv.evaluations.eval_semantic_segmentation import calc_semantic_segmentation_confusion as calc_semantic_segmentation_confusion
from renga_cv.evaluations.eval_semantic_segmentation import calc_semantic_segmentation_iou as calc_semantic_segmentation_iou
from renga_cv.evaluations.eval_semantic_segmentation import eval_semantic_segmentation as eval_semantic_segmentation

__all__ = [
    "calc_detection_voc_ap",
    "calc_detection_voc_prec_rec",
    "calc_instance_segmentation_voc_prec_rec",
    "calc_semantic_segmentation_confusion",
    "calc_semantic_segmentation_iou",
    "eval_detection_coco",
    "eval_detection_voc",
    "eval_instance_segmentation_coco",
    "eval_instance_segmentation_voc",
    "eval_semantic_segmentation",
]
