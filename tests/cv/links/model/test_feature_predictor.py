import numpy as np
import pytest
from numpy.testing import assert_allclose

from renga_core.configuration import config
from renga_core.link import Chain
from renga_cv.links.model.feature_predictor import FeaturePredictor

MEAN = np.array([100, 50, 20], np.float32).reshape(3, 1, 1)


class Extractor(Chain):
    mean = MEAN

    def __init__(self, several=False):
        super().__init__()
        self.several = several
        self.seen = []

    def forward(self, x):
        assert not config.train
        assert not config.enable_backprop
        self.seen.append(np.array(x))
        features = x.mean((2, 3))
        return (features, x) if self.several else features


@pytest.fixture
def images():
    rng = np.random.default_rng(0)
    return [rng.integers(0, 256, (3, *size)).astype(np.float32) for size in ((8, 10), (12, 8), (9, 9))]


def test_center(images):
    extractor = Extractor()
    y = FeaturePredictor(extractor, 8).predict(images)
    assert y.shape == (3, 3)
    assert y.dtype == np.float32
    (x,) = extractor.seen
    assert x.dtype == np.float32
    assert_allclose(x[0], images[0][:, :, 1:9] - MEAN)
    assert_allclose(x[1], images[1][:, 2:10] - MEAN)
    assert_allclose(y, x.mean((2, 3)), rtol=1e-5)


def test_ten_crops(images):
    extractor = Extractor(several=True)
    features, crops = FeaturePredictor(extractor, (6, 4), crop="10", mean=np.zeros((3, 1, 1), np.float32)).predict(
        images
    )
    (x,) = extractor.seen
    assert x.shape == (30, 3, 6, 4)
    assert_allclose(x[11], images[1][:, :6, :4])
    assert_allclose(features[1], x[10:20].mean((0, 2, 3)), rtol=1e-5)
    assert_allclose(crops[2], x[20:].mean(0), rtol=1e-5)


def test_sizes(images):
    pytest.importorskip("PIL")
    extractor = Extractor()
    FeaturePredictor(extractor, 4, scale_size=4).predict(images[:1])
    FeaturePredictor(extractor, (5, 7), scale_size=(5, 7)).predict(images)
    assert [x.shape for x in extractor.seen] == [(1, 3, 4, 4), (3, 3, 5, 7)]


def test_what_makes_no_sense():
    with pytest.raises(ValueError, match="crop is 'corner'; it can be 'center' or '10'"):
        FeaturePredictor(Extractor(), 4, crop="corner")
    with pytest.raises(ValueError, match=r"Chain has no attribute `mean`"):
        FeaturePredictor(Chain(), 4)
