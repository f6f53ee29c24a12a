"""Scenes with several handwritten digits: for detection and segmentation without a download.

- `scene`: one scene, drawn from random numbers.
- `digit_scenes`: `DigitScenes`, a data set of scenes; `get_digit_scenes`: training and test sets.
"""
