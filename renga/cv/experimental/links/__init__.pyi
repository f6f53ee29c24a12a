# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga.cv.experimental.links import model as model
from renga_cv.links.model.fcis.fcis_resnet101 import FCISResNet101 as FCISResNet101
from renga_cv.links.model.fcis.train_chain import FCISTrainChain as FCISTrainChain
from renga_cv.links.model.pspnet.pspnet import PSPNetResNet101 as PSPNetResNet101
from renga_cv.links.model.pspnet.pspnet import PSPNetResNet50 as PSPNetResNet50
from renga_cv.links.model.yolo.yolo_v2_tiny import YOLOv2Tiny as YOLOv2Tiny

__all__ = [
    "FCISResNet101",
    "FCISTrainChain",
    "PSPNetResNet101",
    "PSPNetResNet50",
    "YOLOv2Tiny",
    "model",
]
