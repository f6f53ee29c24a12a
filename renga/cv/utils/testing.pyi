# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.utils.testing.constant_stub_link import ConstantStubLink as ConstantStubLink
from renga_cv.utils.testing.datasets import assert_is_bbox_dataset as assert_is_bbox_dataset
from renga_cv.utils.testing.datasets import assert_is_instance_segmentation_dataset as assert_is_instance_segmentation_dataset
from renga_cv.utils.testing.datasets import assert_is_label_dataset as assert_is_label_dataset
from renga_cv.utils.testing.datasets import assert_is_point_dataset as assert_is_point_dataset
from renga_cv.utils.testing.datasets import assert_is_semantic_segmentation_dataset as assert_is_semantic_segmentation_dataset
from renga_cv.utils.testing.links import assert_is_detection_link as assert_is_detection_link
from renga_cv.utils.testing.links import assert_is_instance_segmentation_link as assert_is_instance_segmentation_link
from renga_cv.utils.testing.links import assert_is_semantic_segmentation_link as assert_is_semantic_segmentation_link
from renga_cv.utils.testing.parameterize import parameterize as parameterize
from renga_cv.utils.testing.random_boxes import generate_random_bbox as generate_random_bbox
from renga_cv.utils.testing.values import assert_is_bbox as assert_is_bbox
from renga_cv.utils.testing.values import assert_is_image as assert_is_image
from renga_cv.utils.testing.values import assert_is_point as assert_is_point

__all__ = [
    "ConstantStubLink",
    "assert_is_bbox",
    "assert_is_bbox_dataset",
    "assert_is_detection_link",
    "assert_is_image",
    "assert_is_instance_segmentation_dataset",
    "assert_is_instance_segmentation_link",
    "assert_is_label_dataset",
    "assert_is_point",
    "assert_is_point_dataset",
    "assert_is_semantic_segmentation_dataset",
    "assert_is_semantic_segmentation_link",
    "generate_random_bbox",
    "parameterize",
]
