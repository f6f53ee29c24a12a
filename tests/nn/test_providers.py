"""What the plugin offers is what there is, under Chainer's names and with Chainer's parameters first."""

import importlib
import inspect
import subprocess
import sys

import pytest

import renga.functions
import renga_nn.functions
from renga_core.kinds import FUNCTION, LINK, MODEL
from renga_core.plugin import registry
from renga_nn.providers.functions import NAMES


@pytest.mark.parametrize("kind", [FUNCTION, LINK, MODEL], ids=lambda kind: kind.name)
def test_each_offer_can_be_loaded(kind):
    ours = [c.offer for c in registry(kind).list() if c.offer.provider.target.startswith("renga_nn.")]
    for offer in ours:
        assert callable(offer.load())


def test_every_exported_function_is_offered_and_no_other():
    offered = [name for names in NAMES.values() for name in names.split()]
    assert sorted(offered) == sorted(renga_nn.functions.__all__)
    assert sorted(renga.functions.__all__) == sorted(offered)


def test_each_is_in_its_family():
    for family, names in NAMES.items():
        package = importlib.import_module(f"renga_nn.functions.{family}")
        for name in names.split():
            assert getattr(package, name) is getattr(renga_nn.functions, name)


def test_listing_imports_no_function():
    program = (
        "import sys; from renga_core.plugin import registry; assert 'relu' in registry('function').names(); "
        "assert not [m for m in sys.modules if m.startswith('renga_nn.functions')]"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_face_names_near_misses():
    with pytest.raises(AttributeError, match="softmax"):
        renga.functions.softmx  # noqa: B018


SIGNATURES = {
    "accuracy": "y t ignore_label",
    "average_pooling_3d": "x ksize stride pad pad_value",
    "max_pooling_nd": "x ksize stride pad cover_all return_indices",
    "resize_images": "x output_shape mode align_corners",
    "roi_average_align_2d": "x rois roi_indices outsize spatial_scale sampling_ratio",
    "roi_max_pooling_2d": "x rois roi_indices outsize spatial_scale",
    "roi_pooling_2d": "x rois outh outw spatial_scale",
    "spatial_pyramid_pooling_2d": "x pyramid_height pooling",
    "unpooling_1d": "x ksize stride pad outsize cover_all",
    "upsampling_2d": "x indexes ksize stride pad outsize cover_all",
    "average": "x axis weights keepdims",
    "binary_accuracy": "y t",
    "broadcast": "args",
    "clip": "x x_min x_max",
    "clipped_relu": "x z",
    "concat": "xs axis",
    "copy": "x dst",
    "dropout": "x ratio mask return_mask",
    "elu": "x alpha",
    "expand_dims": "x axis",
    "gaussian": "mean ln_var eps return_eps",
    "hinge": "x t norm reduce",
    "huber_loss": "x t delta reduce",
    "leaky_relu": "x slope",
    "log_softmax": "x axis",
    "logsumexp": "x axis",
    "matmul": "a b transa transb",
    "max": "x axis keepdims",
    "maximum": "x1 x2",
    "mean_squared_error": "x0 x1",
    "moveaxis": "x source destination",
    "pad": "x pad_width mode constant_values",
    "rollaxis": "x axis start",
    "select_item": "x t",
    "separate": "x axis",
    "sigmoid_cross_entropy": "x t normalize reduce",
    "softmax": "x axis",
    "softmax_cross_entropy": (
        "x t normalize cache_score class_weight ignore_label reduce enable_double_backprop soft_target_loss"
    ),
    "softplus": "x beta",
    "split_axis": "x indices_or_sections axis force_tuple",
    "stack": "xs axis",
    "sum": "x axis keepdims",
    "swapaxes": "x axis1 axis2",
    "swish": "x beta",
    "where": "condition x y",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signature(name):
    assert " ".join(inspect.signature(getattr(renga.functions, name)).parameters) == SIGNATURES[name]
