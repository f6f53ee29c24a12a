"""Scenes of digits."""

import numpy as np
import pytest

from renga_cv.datasets.digit_scenes.digit_scenes import DigitScenes, get_digit_scenes
from renga_cv.datasets.digit_scenes.scene import draw_scene
from renga_data.datasets.digits import get_digits


def test_the_same_seed_gives_the_same_scenes_in_any_order():
    (one, test), (other, _) = (get_digit_scenes("masks", 5, 5) for _ in range(2))
    order = [3, 0, 4]
    for i in order:
        one[i]
    for mine, theirs in zip(one[:], other[:], strict=True):
        for a, b in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(a, b)
    assert not np.array_equal(one[0][0], test[0][0])
    assert not np.array_equal(one[0][0], get_digit_scenes("masks", 5, 5, seed=1)[0][0][0])


def test_the_three_annotations_tell_the_same():
    sets = [get_digit_scenes(annotation, 12, 1)[0] for annotation in ("boxes", "pixels", "masks")]
    for (image, boxes, labels), (same, pixels), (again, masks, classes) in zip(*sets, strict=True):
        np.testing.assert_array_equal(image, same)
        np.testing.assert_array_equal(image, again)
        assert (image.shape, image.dtype) == ((3, 64, 64), np.float32)
        assert 0 <= image.min() < image.max() <= 255
        assert boxes.dtype == np.float32
        assert (masks.dtype, masks.shape) == (np.bool_, (len(labels), 64, 64))
        assert (pixels.dtype, labels.dtype) == (np.int32, np.int32)
        np.testing.assert_array_equal(labels, classes)
        assert masks.sum(0).max() <= 1, "a pixel belongs to one digit"
        np.testing.assert_array_equal(pixels > 0, masks.any(0))
        for box, mask, label in zip(boxes, masks, labels, strict=True):
            assert set(pixels[mask]) == {label + 1}
            y, x = np.nonzero(mask)
            assert box.tolist() == [y.min(), x.min(), y.max() + 1, x.max() + 1]


def test_digits_are_brighter_than_what_is_around_them_and_hardly_overlap():
    train, _ = get_digit_scenes("masks", 30, 1)
    for image, masks, _ in train:
        brightness = image.mean(0)
        for mask in masks:
            assert brightness[mask].mean() > brightness[~masks.any(0)].mean() + 20
            assert mask.sum() >= 20


def test_training_and_testing_have_digits_of_their_own(monkeypatch):
    used = []

    def remember(rng, digits, labels, *rest):
        used.append({digit.tobytes() for digit in digits})
        return draw_scene(rng, digits, labels, *rest)

    monkeypatch.setattr("renga_cv.datasets.digit_scenes.digit_scenes.draw_scene", remember)
    for scenes in get_digit_scenes("boxes", 1, 1):
        scenes[0]
    assert not used[0] & used[1]
    assert len(used[0]) + len(used[1]) > 1700


def test_the_preprocessing_names_the_classes():
    assert get_digit_scenes("boxes", 1, 1).preprocessing.classes == tuple("0123456789")
    assert get_digit_scenes("pixels", 1, 1).preprocessing.outputs == 11


def test_a_scene_is_drawn_once(monkeypatch):
    digits, labels = (np.stack(each) for each in zip(*get_digits(ndim=2)[0][:20], strict=True))
    scenes = DigitScenes(digits, labels, 3, size=48)
    drawn = scenes[-2]  # asked for by its negative index first
    monkeypatch.setattr("renga_cv.datasets.digit_scenes.digit_scenes.draw_scene", None)
    assert all(np.array_equal(one, other) for one, other in zip(scenes[1], drawn, strict=True))
    assert drawn[0].shape == (3, 48, 48)


@pytest.mark.parametrize("wrong", [{"target_type": "box"}, {"number": 0}, {"size": 16}, {"digits_a_scene": (3, 2)}])
def test_bad_arguments_are_refused(wrong):
    with pytest.raises(ValueError, match="not"):
        get_digit_scenes(**wrong)
