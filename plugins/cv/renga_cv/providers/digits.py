"""Names for run files: scenes of digits, own pictures, small networks, and tasks for pictures."""

from renga_core.plugin import Namespace, Provider

__all__ = ["CONVERTERS", "DATASETS", "EVALUATORS", "MODELS", "NAMESPACES", "TASKS"]

DATASETS = [
    Provider(
        "digit_scenes",
        "renga_cv.datasets.digit_scenes.digit_scenes:get_digit_scenes",
        1,
        "Scenes with several handwritten digits: boxes, classes of pixels, or masks; comes with Renga",
        capabilities=frozenset({"ragged", "unshared"}),
    ),
    Provider(
        "boxes_csv",
        "renga_cv.datasets.own_pictures.boxes_csv:get_boxes_csv",
        1,
        "Pictures of your own, and a CSV file of boxes in them",
        needs=("PIL",),
        install_hint="pip install 'renga[cv]'",
        capabilities=frozenset({"ragged", "unshared"}),
    ),
    Provider(
        "coco_json",
        "renga_cv.datasets.own_pictures.coco_json:get_coco_json",
        1,
        "Pictures of your own, and a JSON file of boxes or masks in them, in COCO's format",
        needs=("PIL",),
        install_hint="pip install 'renga[cv]'",
        capabilities=frozenset({"ragged", "unshared"}),
    ),
]

# Their capabilities name their tasks; models without capabilities are classifiers.
MODELS = [
    Provider(
        "small_instance_segmenter",
        "renga_cv.links.model.small.instance_segmenter:SmallInstanceSegmenter",
        1,
        "Masks of objects in small pictures",
        capabilities=frozenset({"instance_segmentation"}),
    ),
    Provider(
        "small_detector",
        "renga_cv.links.model.small.detector:SmallDetector",
        1,
        "Boxes of objects in small pictures",
        capabilities=frozenset({"detection"}),
    ),
    Provider(
        "small_segmenter",
        "renga_cv.links.model.small.segmenter:SmallSegmenter",
        1,
        "A class for each pixel of small pictures",
        capabilities=frozenset({"semantic_segmentation"}),
    ),
]

TASKS = [
    Provider(
        "instance_segmentation",
        "renga_cv.tasks.instance_segmentation:InstanceSegmentation",
        1,
        "Which objects are where, and which pixels do they cover?",
    ),
    Provider("detection", "renga_cv.tasks.detection:Detection", 1, "Which objects are where? A box for each"),
    Provider(
        "semantic_segmentation",
        "renga_cv.tasks.semantic_segmentation:SemanticSegmentation",
        1,
        "To which class does each pixel belong?",
    ),
]

EVALUATORS = [
    Provider(
        "predictions",
        "renga_cv.tasks.evaluator:PredictionEvaluator",
        1,
        "Figures of all predictions together, such as average precision: for tasks about pictures",
    ),
    Provider(
        "voc",
        "renga_cv.tasks.detection_evaluators:VOCEvaluator",
        1,
        "Average precision of boxes or masks as PASCAL VOC defines it, also the definition of 2007",
    ),
    Provider(
        "coco",
        "renga_cv.tasks.detection_evaluators:COCOEvaluator",
        1,
        "Average precision and recall of boxes or masks as COCO defines them",
        needs=("pycocotools",),
        install_hint="pip install 'renga[coco]'",
    ),
]

CONVERTERS = [
    Provider(
        "pictures",
        "renga_cv.tasks.converter:pictures",
        1,
        "Keep pictures and their objects in lists, on the host",
        capabilities=frozenset({"lists", "host"}),
    ),
]

NAMESPACES = [
    Namespace(
        "renga.cv.datasets",
        names={
            "renga_cv.datasets.digit_scenes.digit_scenes": "DigitScenes digit_label_names get_digit_scenes",
            "renga_cv.datasets.own_pictures.boxes_csv": "get_boxes_csv",
            "renga_cv.datasets.own_pictures.coco_json": "get_coco_json",
            "renga_cv.datasets.own_pictures.pictures_with_boxes": "PicturesWithBoxes",
        },
    ),
]
