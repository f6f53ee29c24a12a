# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.links.model.light_head_rcnn.global_context_module import GlobalContextModule as GlobalContextModule
from renga_cv.links.model.light_head_rcnn.light_head_rcnn import LightHeadRCNN as LightHeadRCNN
from renga_cv.links.model.light_head_rcnn.light_head_rcnn_resnet101 import LightHeadRCNNResNet101 as LightHeadRCNNResNet101
from renga_cv.links.model.light_head_rcnn.train_chain import LightHeadRCNNTrainChain as LightHeadRCNNTrainChain

__all__ = [
    "GlobalContextModule",
    "LightHeadRCNN",
    "LightHeadRCNNResNet101",
    "LightHeadRCNNTrainChain",
]
