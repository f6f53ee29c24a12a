# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.extensions.detection_coco_evaluator import DetectionCOCOEvaluator as DetectionCOCOEvaluator
from renga_cv.extensions.detection_vis_report import DetectionVisReport as DetectionVisReport
from renga_cv.extensions.detection_voc_evaluator import DetectionVOCEvaluator as DetectionVOCEvaluator
from renga_cv.extensions.instance_segmentation_coco_evaluator import InstanceSegmentationCOCOEvaluator as InstanceSegmentationCOCOEvaluator
from renga_cv.extensions.instance_segmentation_voc_evaluator import InstanceSegmentationVOCEvaluator as InstanceSegmentationVOCEvaluator
from renga_cv.extensions.semantic_segmentation_evaluator import SemanticSegmentationEvaluator as SemanticSegmentationEvaluator

__all__ = [
    "DetectionCOCOEvaluator",
    "DetectionVOCEvaluator",
    "DetectionVisReport",
    "InstanceSegmentationCOCOEvaluator",
    "InstanceSegmentationVOCEvaluator",
    "SemanticSegmentationEvaluator",
]
