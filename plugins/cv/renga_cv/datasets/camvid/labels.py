"""The classes of CamVid."""

__all__ = ["camvid_ignore_label_color", "camvid_label_colors", "camvid_label_names"]

# fmt: off
camvid_label_names: tuple[str, ...] = (
    "Sky", "Building", "Pole", "Road", "Pavement", "Tree", "SignSymbol", "Fence", "Car", "Pedestrian", "Bicyclist",
)
# fmt: on
"""The name of each class."""

# fmt: off
camvid_label_colors: tuple[tuple[int, int, int], ...] = (
    (128, 128, 128), (128, 0, 0), (192, 192, 128), (128, 64, 128), (60, 40, 222), (128, 128, 0), (192, 128, 128),
    (64, 64, 128), (64, 0, 128), (64, 64, 0), (0, 128, 192),
)
# fmt: on
"""The colour of each class, RGB."""

camvid_ignore_label_color = (0, 0, 0)
"""The colour of ignored pixels."""
