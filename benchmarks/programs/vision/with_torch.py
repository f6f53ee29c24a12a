"""The workloads with torchvision's models, as its users write them."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torchvision.models import mobilenet_v2, resnet50
from torchvision.models.detection import FasterRCNN, MaskRCNN, ssd300_vgg16
from torchvision.models.detection.backbone_utils import resnet_fpn_backbone
from torchvision.ops import FrozenBatchNorm2d, batched_nms, nms, roi_align, roi_pool
from torchvision.transforms._presets import ImageClassification

from benchmarks.programs.vision import data

MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def with_weights(network):
    with torch.no_grad():
        for name, array in network.state_dict().items():
            if array.is_floating_point():
                array.copy_(torch.from_numpy(data.weight(name, tuple(array.shape))))
    return network


def classifier(name):
    network = {"resnet50": resnet50, "mobilenet_v2": mobilenet_v2}[name](weights=None)
    if name == "mobilenet_v2":
        network.classifier[0].p = 0.0  # Renga's has no dropout
    return with_weights(network)


def predict_classes(name):
    network = classifier(name).eval()
    prepare = ImageClassification(crop_size=224, resize_size=256)
    pictures = [torch.from_numpy(picture) for picture in data.pictures(4)]

    @torch.inference_mode()
    def step():
        return network(torch.stack([prepare(picture) for picture in pictures]))

    return step


def trained(network, loss):
    """The step of training, given a function that computes the loss."""
    network.train()
    parameters = [parameter for parameter in network.parameters() if parameter.requires_grad]
    optimizer = torch.optim.SGD(parameters, lr=data.LEARNING_RATE, momentum=0.9)

    def step():
        value = loss()
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
        return value

    return step


def train_classes(name):
    network = classifier(name)
    x = torch.stack([torch.from_numpy(picture)[:, :224, :224] for picture in data.pictures(4)]) / 255
    x = (x - torch.tensor(MEAN).reshape(3, 1, 1)) / torch.tensor(DEVIATION).reshape(3, 1, 1)
    return trained(network, lambda: F.cross_entropy(network(x), torch.arange(4)))


def detect(network):
    network.eval()
    pictures = [torch.from_numpy(picture) / 255 for picture in data.pictures(1)]

    @torch.inference_mode()
    def step():
        return network(pictures)[0]["scores"]

    return step


def train_detector(network, count):
    pictures = [torch.from_numpy(picture) / 255 for picture in data.pictures(count)]
    targets = [
        {
            "boxes": torch.from_numpy(boxes)[:, [1, 0, 3, 2]],
            "labels": torch.from_numpy(labels).long() + 1,
            "masks": torch.from_numpy(masks).to(torch.uint8),
        }
        for boxes, labels, masks in data.objects(count)
    ]
    return trained(network, lambda: sum(network(pictures, targets).values()))


def ssd300():
    network = ssd300_vgg16(weights=None, weights_backbone=None, num_classes=21, trainable_backbone_layers=None)
    network.transform.image_mean, network.transform.image_std = MEAN, DEVIATION
    return with_weights(network)


def rcnn(masks: bool) -> nn.Module:
    """As in `fasterrcnn_resnet50_fpn` with trained weights: batch normalization and the first stages are fixed."""
    backbone = resnet_fpn_backbone(
        backbone_name="resnet50", weights=None, norm_layer=FrozenBatchNorm2d, trainable_layers=3
    )
    made = MaskRCNN if masks else FasterRCNN
    return with_weights(made(backbone, num_classes=91, min_size=data.MIN_SIZE, max_size=data.MAX_SIZE))


def suppress(count):
    boxes, scores = (torch.from_numpy(array) for array in data.boxes_to_suppress(count))
    return lambda: torch.tensor(float(len(nms(boxes, scores, 0.5))))


def suppress_classes():
    boxes, scores = (torch.from_numpy(array) for array in data.candidates())

    def step():
        row, label = torch.nonzero(scores >= 0.01, as_tuple=True)
        kept = batched_nms(boxes[row], scores[row, label], label, 0.45)
        return torch.tensor(float(len(kept)))

    return step


def resize():
    x = torch.from_numpy(data.block_input(64)).reshape(8, -1, 56, 56)[:, :64].contiguous().requires_grad_()

    def step():
        x.grad = None
        F.interpolate(x, (112, 112), mode="bilinear").sum().backward()
        return x.grad[0]

    return step


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList(
            [
                nn.Conv2d(24, 144, 1, bias=False),
                nn.Conv2d(144, 144, 3, padding=1, groups=144, bias=False),
                nn.Conv2d(144, 24, 1, bias=False),
            ]
        )
        self.norms = nn.ModuleList([nn.BatchNorm2d(channels, 2e-5) for channels in (144, 144, 24)])
        with torch.no_grad():
            for conv, weight in zip(self.convs, data.block_weights(), strict=True):
                conv.weight.copy_(torch.from_numpy(weight))

    def forward(self, x):
        h = x
        for number, (conv, norm) in enumerate(zip(self.convs, self.norms, strict=True)):
            h = norm(conv(h))
            if number < 2:
                h = F.relu6(h)
        return x + h


def train_block(batch):
    block, x = Block(), torch.from_numpy(data.block_input(batch))
    return trained(block, lambda: (block(x) ** 2).mean())


def align(backward, pool=roi_align, more=(2,)):
    features, rois = (torch.from_numpy(array) for array in data.regions())
    rois = [rois[:, [1, 0, 3, 2]]]
    features.requires_grad_(backward)

    def step() -> Tensor:
        features.grad = None
        y = pool(features, rois, 7, 1 / 4, *more)
        if not backward:
            return y[0]
        y.sum().backward()
        return features.grad[0, 0]

    return step


def to_numpy(result):
    return result.detach().numpy()


PROGRAMS = {
    "": {
        "vision/resnet50_predict": lambda: predict_classes("resnet50"),
        "vision/resnet50_train": lambda: train_classes("resnet50"),
        "vision/mobilenet_v2_predict": lambda: predict_classes("mobilenet_v2"),
        "vision/mobilenet_v2_train": lambda: train_classes("mobilenet_v2"),
        "vision/ssd300_predict": lambda: detect(ssd300()),
        "vision/ssd300_train": lambda: train_detector(ssd300(), 2),
        "vision/faster_rcnn_predict": lambda: detect(rcnn(masks=False)),
        "vision/faster_rcnn_train": lambda: train_detector(rcnn(masks=False), 1),
        "vision/mask_rcnn_predict": lambda: detect(rcnn(masks=True)),
        "vision/mask_rcnn_train": lambda: train_detector(rcnn(masks=True), 1),
        "vision/nms_1000": lambda: suppress(1000),
        "vision/nms_10000": lambda: suppress(10000),
        "vision/nms_classes": suppress_classes,
        "vision/roi_align_forward": lambda: align(backward=False),
        "vision/roi_align": lambda: align(backward=True),
        "vision/roi_pooling": lambda: align(True, roi_pool, ()),
        "vision/resize": resize,
        "vision/mobilenet_block_8": lambda: train_block(8),
        "vision/mobilenet_block_32": lambda: train_block(32),
    },
    "best": {},
}
