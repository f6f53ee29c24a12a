"""Scenes with several handwritten digits: for detection and segmentation where there is no network.

- `scene`: one scene, drawn from random numbers.
- `digit_scenes`: `DigitScenes`, many of them as a data set; `get_digit_scenes`, for training and for testing.
"""
