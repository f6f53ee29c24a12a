# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga.cv.links import connection as connection
from renga.cv.links import model as model
from renga_cv.links.connection.conv_2d_activ import Conv2DActiv as Conv2DActiv
from renga_cv.links.connection.conv_2d_bn_activ import Conv2DBNActiv as Conv2DBNActiv
from renga_cv.links.connection.se_block import SEBlock as SEBlock
from renga_cv.links.connection.separable_conv_2d_bn_activ import SeparableConv2DBNActiv as SeparableConv2DBNActiv
from renga_cv.links.model.deeplab.deeplab_v3_mobilenet_v2 import DeepLabV3MobileNetV2 as DeepLabV3MobileNetV2
from renga_cv.links.model.deeplab.deeplab_v3plus import DeepLabV3plusXception65 as DeepLabV3plusXception65
from renga_cv.links.model.faster_rcnn.faster_rcnn_vgg import FasterRCNNVGG16 as FasterRCNNVGG16
from renga_cv.links.model.feature_predictor import FeaturePredictor as FeaturePredictor
from renga_cv.links.model.fpn.faster_rcnn_fpn_resnet import FasterRCNNFPNResNet101 as FasterRCNNFPNResNet101
from renga_cv.links.model.fpn.faster_rcnn_fpn_resnet import FasterRCNNFPNResNet50 as FasterRCNNFPNResNet50
from renga_cv.links.model.fpn.faster_rcnn_fpn_resnet import MaskRCNNFPNResNet101 as MaskRCNNFPNResNet101
from renga_cv.links.model.fpn.faster_rcnn_fpn_resnet import MaskRCNNFPNResNet50 as MaskRCNNFPNResNet50
from renga_cv.links.model.light_head_rcnn.light_head_rcnn_resnet101 import LightHeadRCNNResNet101 as LightHeadRCNNResNet101
from renga_cv.links.model.mobilenet.mobilenet_v2 import MobileNetV2 as MobileNetV2
from renga_cv.links.model.pickable_sequential_chain import PickableSequentialChain as PickableSequentialChain
from renga_cv.links.model.pixelwise_softmax_classifier import PixelwiseSoftmaxClassifier as PixelwiseSoftmaxClassifier
from renga_cv.links.model.resnet.resnet import ResNet101 as ResNet101
from renga_cv.links.model.resnet.resnet import ResNet152 as ResNet152
from renga_cv.links.model.resnet.resnet import ResNet50 as ResNet50
from renga_cv.links.model.segnet.segnet_basic import SegNetBasic as SegNetBasic
from renga_cv.links.model.senet.se_resnet import SEResNet101 as SEResNet101
from renga_cv.links.model.senet.se_resnet import SEResNet152 as SEResNet152
from renga_cv.links.model.senet.se_resnet import SEResNet50 as SEResNet50
from renga_cv.links.model.senet.se_resnext import SEResNeXt101 as SEResNeXt101
from renga_cv.links.model.senet.se_resnext import SEResNeXt50 as SEResNeXt50
from renga_cv.links.model.ssd.ssd_vgg16 import SSD300 as SSD300
from renga_cv.links.model.ssd.ssd_vgg16 import SSD512 as SSD512
from renga_cv.links.model.vgg.vgg16 import VGG16 as VGG16
from renga_cv.links.model.yolo.yolo_v2 import YOLOv2 as YOLOv2
from renga_cv.links.model.yolo.yolo_v3 import YOLOv3 as YOLOv3

__all__ = [
    "Conv2DActiv",
    "Conv2DBNActiv",
    "DeepLabV3MobileNetV2",
    "DeepLabV3plusXception65",
    "FasterRCNNFPNResNet101",
    "FasterRCNNFPNResNet50",
    "FasterRCNNVGG16",
    "FeaturePredictor",
    "LightHeadRCNNResNet101",
    "MaskRCNNFPNResNet101",
    "MaskRCNNFPNResNet50",
    "MobileNetV2",
    "PickableSequentialChain",
    "PixelwiseSoftmaxClassifier",
    "ResNet101",
    "ResNet152",
    "ResNet50",
    "SEBlock",
    "SEResNeXt101",
    "SEResNeXt50",
    "SEResNet101",
    "SEResNet152",
    "SEResNet50",
    "SSD300",
    "SSD512",
    "SegNetBasic",
    "SeparableConv2DBNActiv",
    "VGG16",
    "YOLOv2",
    "YOLOv3",
    "connection",
    "model",
]
