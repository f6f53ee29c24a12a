"""Networks that classify photographs, with the structure and names of Chainer's, so that its files fit.

- `pretrained`: `PretrainedClassifier`, what they share: layers by name, classes of images, files.
- `vgg`, `resnet`, `googlenet`: the networks.
- `images`: pictures as arrays.
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
