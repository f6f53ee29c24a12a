"""Pictures: transforms, utilities, visualizations."""

from renga_core.plugin import Namespace

__all__ = ["NAMESPACES"]

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
        names={"renga_cv.utils.bbox": "bbox_iou non_maximum_suppression"},
    ),
]
