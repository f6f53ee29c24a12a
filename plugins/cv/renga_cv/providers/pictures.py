"""Pictures: transforms, utilities, visualizations."""

from renga_core.plugin import Namespace

__all__ = ["NAMESPACES"]

_CHECKS = {
    "renga_cv.utils.testing.constant_stub_link": "ConstantStubLink",
    "renga_cv.utils.testing.datasets": (
        "assert_is_bbox_dataset assert_is_instance_segmentation_dataset assert_is_label_dataset "
        "assert_is_point_dataset assert_is_semantic_segmentation_dataset"
    ),
    "renga_cv.utils.testing.links": (
        "assert_is_detection_link assert_is_instance_segmentation_link assert_is_semantic_segmentation_link"
    ),
    "renga_cv.utils.testing.random_boxes": "generate_random_bbox",
    "renga_cv.utils.testing.values": "assert_is_bbox assert_is_image assert_is_point",
}

NAMESPACES: list[Namespace] = [
    Namespace(
        "renga.cv.transforms",
        names={
            "renga_cv.transforms.bbox": "crop_bbox flip_bbox resize_bbox rotate_bbox translate_bbox",
            "renga_cv.transforms.image.crop": "center_crop random_crop random_sized_crop ten_crop",
            "renga_cv.transforms.image.expand": "random_expand",
            "renga_cv.transforms.image.flip": "flip random_flip",
            "renga_cv.transforms.image.pca_lighting": "pca_lighting",
            "renga_cv.transforms.image.resize": "resize resize_contain scale",
            "renga_cv.transforms.image.rotate": "random_rotate rotate",
            "renga_cv.transforms.point": "flip_point resize_point translate_point",
        },
    ),
    Namespace(
        "renga.cv.utils",
        names={
            "renga_cv.utils.archive": "extractall",
            "renga_cv.utils.bbox": "bbox_iou non_maximum_suppression",
            "renga_cv.utils.download": "cached_download",
            "renga_cv.utils.image": "read_image read_label tile_images write_image",
            "renga_cv.utils.iterator.apply_to_iterator": "apply_to_iterator",
            "renga_cv.utils.iterator.progress_hook": "ProgressHook",
            "renga_cv.utils.iterator.unzip": "unzip",
            "renga_cv.utils.mask": "mask_iou mask_to_bbox scale_mask",
            **_CHECKS,
        },
    ),
    Namespace(
        "renga.cv.utils.testing",
        names={**_CHECKS, "renga_cv.utils.testing.parameterize": "parameterize"},
    ),
    Namespace(
        "renga.cv.visualizations",
        names={
            "renga_cv.visualizations.vis_bbox": "vis_bbox",
            "renga_cv.visualizations.vis_image": "vis_image",
            "renga_cv.visualizations.vis_instance_segmentation": "vis_instance_segmentation",
            "renga_cv.visualizations.vis_point": "vis_point",
            "renga_cv.visualizations.vis_semantic_segmentation": "vis_semantic_segmentation",
        },
    ),
    Namespace("renga.cv.visualizations.colormap", names={"renga_cv.visualizations.colormap": "voc_colormap"}),
]
