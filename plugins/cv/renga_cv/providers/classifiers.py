"""Networks that classify, and links that networks are made of."""

from renga_core.plugin import Namespace, Provider

__all__ = ["MODELS", "NAMESPACES"]

MODELS = [
    Provider(name, f"renga_cv.links.model.image_classifier:{name}", 1, f"{title}, for photographs in colour")
    for name, title in {
        "mobilenet_v2": "MobileNetV2, a small network",
        "resnet50": "ResNet of 50 layers",
        "resnet101": "ResNet of 101 layers",
        "resnet152": "ResNet of 152 layers",
        "se_resnet50": "SE-ResNet of 50 layers",
        "se_resnet101": "SE-ResNet of 101 layers",
        "se_resnet152": "SE-ResNet of 152 layers",
        "se_resnext50": "SE-ResNeXt of 50 layers",
        "se_resnext101": "SE-ResNeXt of 101 layers",
        "vgg16": "VGG of 16 layers",
    }.items()
]

_CONNECTION = {
    "renga_cv.links.connection.conv_2d_activ": "Conv2DActiv",
    "renga_cv.links.connection.conv_2d_bn_activ": "Conv2DBNActiv",
    "renga_cv.links.connection.se_block": "SEBlock",
    "renga_cv.links.connection.separable_conv_2d_bn_activ": "SeparableConv2DBNActiv",
}

_MODEL = "renga_cv.links.model"

NAMESPACES: list[Namespace] = [
    Namespace(
        "renga.cv.links",
        names={
            **_CONNECTION,
            f"{_MODEL}.feature_predictor": "FeaturePredictor",
            f"{_MODEL}.mobilenet.mobilenet_v2": "MobileNetV2",
            f"{_MODEL}.pickable_sequential_chain": "PickableSequentialChain",
            f"{_MODEL}.pixelwise_softmax_classifier": "PixelwiseSoftmaxClassifier",
            f"{_MODEL}.resnet.resnet": "ResNet50 ResNet101 ResNet152",
            f"{_MODEL}.senet.se_resnet": "SEResNet50 SEResNet101 SEResNet152",
            f"{_MODEL}.senet.se_resnext": "SEResNeXt50 SEResNeXt101",
            f"{_MODEL}.vgg.vgg16": "VGG16",
        },
    ),
    Namespace("renga.cv.links.connection", names=_CONNECTION),
    Namespace(
        "renga.cv.links.model.mobilenet",
        names={
            f"{_MODEL}.mobilenet.expanded_conv_2d": "ExpandedConv2D",
            f"{_MODEL}.mobilenet.mobilenet_v2": "MobileNetV2",
            f"{_MODEL}.mobilenet.tf_conv_2d_bn_activ": "TFConv2DBNActiv",
            f"{_MODEL}.mobilenet.tf_convolution_2d": "TFConvolution2D",
        },
    ),
    Namespace(
        "renga.cv.links.model.resnet",
        names={
            f"{_MODEL}.resnet.bottleneck": "Bottleneck",
            f"{_MODEL}.resnet.res_block": "ResBlock",
            f"{_MODEL}.resnet.resnet": "ResNet ResNet50 ResNet101 ResNet152",
        },
    ),
    Namespace(
        "renga.cv.links.model.senet",
        names={
            f"{_MODEL}.senet.se_resnet": "SEResNet SEResNet50 SEResNet101 SEResNet152",
            f"{_MODEL}.senet.se_resnext": "SEResNeXt SEResNeXt50 SEResNeXt101",
        },
    ),
    Namespace("renga.cv.links.model.vgg", names={f"{_MODEL}.vgg.vgg16": "VGG16"}),
    Namespace("renga.cv.utils", names={"renga_cv.utils.pretrained": "download_model prepare_pretrained_model"}),
]
