# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga_cv.datasets.digit_scenes.digit_scenes import DigitScenes as DigitScenes
from renga_cv.datasets.digit_scenes.digit_scenes import digit_label_names as digit_label_names
from renga_cv.datasets.digit_scenes.digit_scenes import get_digit_scenes as get_digit_scenes

__all__ = [
    "DigitScenes",
    "digit_label_names",
    "get_digit_scenes",
]
