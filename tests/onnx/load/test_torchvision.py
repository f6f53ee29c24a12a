"""torchvision's networks, exported by PyTorch, compute the same on images of other sizes than the exported one."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_onnx.load import load

pytest.importorskip("onnx", reason="reading ONNX files needs the package onnx")
torch = pytest.importorskip("torch", reason="PyTorch exports the networks")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    try:
        models = pytest.importorskip("torchvision.models", reason="torchvision has the networks")
    except RuntimeError as error:
        pytest.skip(f"torchvision is for another build of PyTorch: {error}", allow_module_level=True)

pytestmark = pytest.mark.torch

UNTRAINED = {"weights": None, "weights_backbone": None}


class Pixels(torch.nn.Module):
    """The scores of classes alone."""

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Any) -> Any:
        return self.network(x)["out"]


class Objects(torch.nn.Module):
    """The objects in one image, as a tuple."""

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Any) -> Any:
        return tuple(self.network([x])[0].values())


def mask_rcnn() -> Any:
    """Few proposals in small images, of which many are found to be something."""
    return models.detection.maskrcnn_resnet50_fpn(
        **UNTRAINED,
        num_classes=5,
        min_size=120,
        max_size=200,
        box_score_thresh=0.2,
        box_detections_per_img=10,
        rpn_pre_nms_top_n_test=100,
        rpn_post_nms_top_n_test=20,
    )


def segmentation() -> Any:
    return models.segmentation.deeplabv3_mobilenet_v3_large(**UNTRAINED, num_classes=4, aux_loss=False)


NETWORKS: dict[str, tuple[Callable[[], Any], tuple[int, ...], tuple[int, ...]]] = {
    # the network, the shape that is exported, another one
    "resnet50": (models.resnet50, (1, 3, 64, 64), (2, 3, 96, 64)),
    "mobilenet_v3_small": (models.mobilenet_v3_small, (1, 3, 64, 64), (2, 3, 64, 96)),
    "deeplabv3": (lambda: Pixels(segmentation()), (2, 3, 64, 64), (1, 3, 64, 96)),
    "mask_rcnn": (lambda: Objects(mask_rcnn()), (3, 120, 140), (3, 150, 130)),
}


def calibrate(network: Any, x: Any) -> None:
    """Scale random weights such that the values of each layer are of deviation 1, and boxes move a little."""

    def scale(name: str) -> Callable[..., Any]:
        def hook(layer: Any, _: Any, y: Any) -> Any:
            factor = (0.2 if "bbox" in name else 1.0) / max(float(y.std()), 1e-6)
            for value in layer.parameters():
                value.mul_(factor)
            return y * factor

        return hook

    kinds = (torch.nn.Conv2d, torch.nn.Linear, torch.nn.ConvTranspose2d)
    hooks = [m.register_forward_hook(scale(name)) for name, m in network.named_modules() if isinstance(m, kinds)]
    with torch.no_grad():
        network(x)
    for hook in hooks:
        hook.remove()


@pytest.mark.parametrize("name", [*NETWORKS][:-1] + [pytest.param("mask_rcnn", marks=pytest.mark.slow)])
def test_outputs_agree(name: str, tmp_path: Path) -> None:
    make, exported, other = NETWORKS[name]
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    network = make().eval()
    example = torch.from_numpy(rng.random(exported, np.float32))
    axes = dict(enumerate(["n", "c", "h", "w"][-len(exported) :]))
    del axes[len(exported) - 3]
    path = tmp_path / "net.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        calibrate(network, example)
        torch.onnx.export(network, (example,), path, dynamo=False, input_names=["x"], dynamic_axes={"x": axes})
    x = rng.random(other, np.float32)
    with torch.no_grad():
        expected = network(torch.from_numpy(x))
    with using_config("enable_backprop", False):
        found = load(path)(x)
    pairs = list(zip(found, expected, strict=True)) if isinstance(found, tuple) else [(found, expected)]
    assert all(t.numel() for _, t in pairs)
    for y, t in pairs:
        np.testing.assert_allclose(y.array, t.numpy(), rtol=1e-4, atol=1e-4 * float(t.abs().max()))
