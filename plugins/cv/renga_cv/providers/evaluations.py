"""Evaluations, as functions and as trainer extensions."""

from renga_core.plugin import Namespace

__all__ = ["NAMESPACES"]

NAMESPACES = [
    Namespace(
        "renga.cv.evaluations",
        names={
            "renga_cv.evaluations.eval_detection_coco": "eval_detection_coco",
            "renga_cv.evaluations.eval_detection_voc": (
                "calc_detection_voc_ap calc_detection_voc_prec_rec eval_detection_voc"
            ),
            "renga_cv.evaluations.eval_instance_segmentation_coco": "eval_instance_segmentation_coco",
            "renga_cv.evaluations.eval_instance_segmentation_voc": (
                "calc_instance_segmentation_voc_prec_rec eval_instance_segmentation_voc"
            ),
            "renga_cv.evaluations.eval_semantic_segmentation": (
                "calc_semantic_segmentation_confusion calc_semantic_segmentation_iou eval_semantic_segmentation"
            ),
        },
    ),
    Namespace(
        "renga.cv.extensions",
        names={
            "renga_cv.extensions.detection_coco_evaluator": "DetectionCOCOEvaluator",
            "renga_cv.extensions.detection_vis_report": "DetectionVisReport",
            "renga_cv.extensions.detection_voc_evaluator": "DetectionVOCEvaluator",
            "renga_cv.extensions.instance_segmentation_coco_evaluator": "InstanceSegmentationCOCOEvaluator",
            "renga_cv.extensions.instance_segmentation_voc_evaluator": "InstanceSegmentationVOCEvaluator",
            "renga_cv.extensions.semantic_segmentation_evaluator": "SemanticSegmentationEvaluator",
        },
    ),
    Namespace(
        "renga.cv.chainer_experimental.training.extensions",
        names={"renga_cv.extensions.make_shift": "make_shift"},
    ),
]
