# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga.cv.utils import testing as testing
from renga_cv.utils.archive import extractall as extractall
from renga_cv.utils.bbox import bbox_iou as bbox_iou
from renga_cv.utils.bbox import non_maximum_suppression as non_maximum_suppression
from renga_cv.utils.download import cached_download as cached_download
from renga_cv.utils.image import read_image as read_image
from renga_cv.utils.image import read_label as read_label
from renga_cv.utils.image import tile_images as tile_images
from renga_cv.utils.image import write_image as write_image
from renga_cv.utils.iterator.apply_to_iterator import apply_to_iterator as apply_to_iterator
from renga_cv.utils.iterator.progress_hook import ProgressHook as ProgressHook
from renga_cv.utils.iterator.unzip import unzip as unzip
from renga_cv.utils.mask import mask_iou as mask_iou
from renga_cv.utils.mask import mask_to_bbox as mask_to_bbox
from renga_cv.utils.mask import scale_mask as scale_mask
from renga_cv.utils.pretrained import download_model as download_model
from renga_cv.utils.pretrained import prepare_pretrained_model as prepare_pretrained_model
from renga_cv.utils.testing.constant_stub_link import ConstantStubLink as ConstantStubLink
from renga_cv.utils.testing.datasets import assert_is_bbox_dataset as assert_is_bbox_dataset
from renga_cv.utils.testing.datasets import assert_is_instance_segmentation_dataset as assert_is_instance_segmentation_dataset
from renga_cv.utils.testing.datasets import assert_is_label_dataset as assert_is_label_dataset
from renga_cv.utils.testing.datasets import assert_is_point_dataset as assert_is_point_dataset
from renga_cv.utils.testing.datasets import assert_is_semantic_segmentation_dataset as assert_is_semantic_segmentation_dataset
from renga_cv.utils.testing.links import assert_is_detection_link as assert_is_detection_link
from renga_cv.utils.testing.links import assert_is_instance_segmentation_link as assert_is_instance_segmentation_link
from renga_cv.utils.testing.links import assert_is_semantic_segmentation_link as assert_is_semantic_segmentation_link
from renga_cv.utils.testing.random_boxes import generate_random_bbox as generate_random_bbox
from renga_cv.utils.testing.values import assert_is_bbox as assert_is_bbox
from renga_cv.utils.testing.values import assert_is_image as assert_is_image
from renga_cv.utils.testing.values import assert_is_point as assert_is_point

__all__ = [
    "ConstantStubLink",
    "ProgressHook",
    "apply_to_iterator",
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
    "bbox_iou",
    "cached_download",
    "download_model",
    "extractall",
    "generate_random_bbox",
    "mask_iou",
    "mask_to_bbox",
    "non_maximum_suppression",
    "prepare_pretrained_model",
    "read_image",
    "read_label",
    "scale_mask",
    "testing",
    "tile_images",
    "unzip",
    "write_image",
]
