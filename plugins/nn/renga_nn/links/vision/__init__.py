"""Networks that classify photographs, compatible with Chainer's files in structure and names.

- `pretrained`: `PretrainedClassifier`, their base: layers by name, prediction, files.
- `vgg`, `resnet`, `googlenet`: the networks.
- `images`: converting images to arrays.
"""

from renga_nn.links.vision.googlenet import GoogLeNet
from renga_nn.links.vision.pretrained import PretrainedClassifier
from renga_nn.links.vision.resnet import ResNet50Layers, ResNet101Layers, ResNet152Layers, ResNetLayers
from renga_nn.links.vision.vgg import VGG16Layers, VGG19Layers

__all__ = [
    "GoogLeNet",
    "PretrainedClassifier",
    "ResNet50Layers",
    "ResNet101Layers",
    "ResNet152Layers",
    "ResNetLayers",
    "VGG16Layers",
    "VGG19Layers",
]
