"""torchvision's networks, with random weights."""

import importlib
import sys
import warnings

import pytest


@pytest.fixture(scope="session")
def models():
    """``torchvision.models``. The test is skipped where torchvision is not installed."""
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return pytest.importorskip("torchvision.models")
        except RuntimeError:  # it is for another build of PyTorch, and finds none of its operators
            for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
                del sys.modules[name]
            library = torch.library.Library("torchvision", "DEF")
            for name in ("nms", "qnms"):
                library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
            library.impl("nms", _non_maximum_suppression, "CPU")
            models = importlib.import_module("torchvision.models")
            models.library = library  # it lives as long as the operators
            importlib.import_module("torchvision.ops.boxes")._assert_has_ops = lambda: None
            pooling = importlib.import_module("torchvision.ops.roi_align")
            pooling._roi_align = pooling._roi_align.__wrapped__  # not compiled, which takes minutes
            return models


def _non_maximum_suppression(dets, scores, iou_threshold):
    """The operator of that name, box after box."""
    boxes = importlib.import_module("torchvision.ops.boxes")
    left, kept = scores.argsort(descending=True, stable=True), []
    while len(left):
        best, left = left[0], left[1:]
        kept.append(best)
        left = left[boxes.box_iou(dets[best, None], dets[left])[0] <= iou_threshold]
    return importlib.import_module("torch").stack(kept) if kept else left


@pytest.fixture(scope="session")
def randomize():
    """Draws weights for a network of PyTorch, such that values neither vanish nor explode."""
    torch = pytest.importorskip("torch")

    def draw(network):
        generator = torch.Generator().manual_seed(0)
        for name, value in network.state_dict().items():
            if name.endswith("running_var"):
                value.uniform_(0.5, 1.5, generator=generator)
            elif value.ndim > 1:
                value.normal_(0, (2 / value[0].numel()) ** 0.5, generator=generator)
            elif value.is_floating_point():
                around = 1 if name.endswith("weight") else 0
                value.uniform_(around - 0.3, around + 0.3, generator=generator)

    return draw
