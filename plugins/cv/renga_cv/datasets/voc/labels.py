"""The classes of PASCAL VOC."""

__all__ = [
    "voc_bbox_label_names",
    "voc_instance_segmentation_label_names",
    "voc_semantic_segmentation_ignore_label_color",
    "voc_semantic_segmentation_label_colors",
    "voc_semantic_segmentation_label_names",
]

# fmt: off
voc_bbox_label_names: tuple[str, ...] = (
    "aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair", "cow", "diningtable", "dog",
    "horse", "motorbike", "person", "pottedplant", "sheep", "sofa", "train", "tvmonitor",
)
# fmt: on
"""The name of each class of objects."""

voc_instance_segmentation_label_names = voc_bbox_label_names
"""The name of each class of objects."""

voc_semantic_segmentation_label_names = ("background", *voc_bbox_label_names)
"""The name of each class of pixels."""

# fmt: off
voc_semantic_segmentation_label_colors: tuple[tuple[int, int, int], ...] = (
    (0, 0, 0), (128, 0, 0), (0, 128, 0), (128, 128, 0), (0, 0, 128), (128, 0, 128), (0, 128, 128), (128, 128, 128),
    (64, 0, 0), (192, 0, 0), (64, 128, 0), (192, 128, 0), (64, 0, 128), (192, 0, 128), (64, 128, 128), (192, 128, 128),
    (0, 64, 0), (128, 64, 0), (0, 192, 0), (128, 192, 0), (0, 64, 128),
)
# fmt: on
"""The colour of each class of pixels, RGB."""

voc_semantic_segmentation_ignore_label_color = (224, 224, 192)
"""The colour of ignored pixels."""
