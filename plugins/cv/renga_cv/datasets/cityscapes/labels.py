"""The classes of Cityscapes."""

__all__ = [
    "cityscapes_ids",
    "cityscapes_semantic_segmentation_label_colors",
    "cityscapes_semantic_segmentation_label_names",
]

# fmt: off
cityscapes_semantic_segmentation_label_names: tuple[str, ...] = (
    "road", "sidewalk", "building", "wall", "fence", "pole", "trafficlight", "trafficsign", "vegetation", "terrain",
    "sky", "person", "rider", "car", "truck", "bus", "train", "motorcycle", "bicycle",
)
# fmt: on
"""The name of each class."""

# fmt: off
cityscapes_semantic_segmentation_label_colors: tuple[tuple[int, int, int], ...] = (
    (128, 64, 128), (244, 35, 232), (70, 70, 70), (102, 102, 156), (190, 153, 153), (153, 153, 153), (250, 170, 30),
    (220, 220, 0), (107, 142, 35), (152, 251, 152), (70, 130, 180), (220, 20, 60), (255, 0, 0), (0, 0, 142), (0, 0, 70),
    (0, 60, 100), (0, 80, 100), (0, 0, 230), (119, 11, 32),
)
# fmt: on
"""The colour of each class, RGB."""

# fmt: off
cityscapes_ids = (7, 8, 11, 12, 13, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 31, 32, 33)
# fmt: on
"""The number of each class in the label files. Evaluations ignore all other numbers."""
