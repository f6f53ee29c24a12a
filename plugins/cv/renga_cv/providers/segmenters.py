"""Networks for semantic segmentation, position-sensitive pooling, and detectors that use it."""

from renga_core.plugin import Namespace, Provider

__all__ = ["MODELS", "NAMESPACES"]

_FCIS = "renga_cv.links.model.fcis"
_LIGHT_HEAD = "renga_cv.links.model.light_head_rcnn"
_PSPNET = "PSPNetResNet50 PSPNetResNet101"

NAMESPACES: list[Namespace] = [
    Namespace(
        "renga.cv.functions",
        names={
            "renga_cv.functions.ps_roi_align": "ps_roi_average_align_2d ps_roi_max_align_2d",
            "renga_cv.functions.ps_roi_pooling": "ps_roi_average_pooling_2d ps_roi_max_pooling_2d",
        },
    ),
    Namespace(
        "renga.cv.links",
        names={
            "renga_cv.links.model.deeplab.deeplab_v3_mobilenet_v2": "DeepLabV3MobileNetV2",
            "renga_cv.links.model.deeplab.deeplab_v3plus": "DeepLabV3plusXception65",
            f"{_LIGHT_HEAD}.light_head_rcnn_resnet101": "LightHeadRCNNResNet101",
            "renga_cv.links.model.segnet.segnet_basic": "SegNetBasic",
        },
    ),
    Namespace("renga.cv.links.model.segnet", names={"renga_cv.links.model.segnet.segnet_basic": "SegNetBasic"}),
    Namespace(
        "renga.cv.links.model.deeplab",
        names={
            "renga_cv.links.model.deeplab.aspp": "SeparableASPP",
            "renga_cv.links.model.deeplab.decoder": "Decoder",
            "renga_cv.links.model.deeplab.deeplab_v3_mobilenet_v2": "DeepLabV3MobileNetV2 DilatedMobileNetV2",
            "renga_cv.links.model.deeplab.deeplab_v3plus": "DeepLabV3plus DeepLabV3plusXception65",
            "renga_cv.links.model.deeplab.xception": "Xception65 XceptionBlock",
        },
    ),
    Namespace(
        "renga.cv.links.model.light_head_rcnn",
        names={
            f"{_LIGHT_HEAD}.global_context_module": "GlobalContextModule",
            f"{_LIGHT_HEAD}.light_head_rcnn": "LightHeadRCNN",
            f"{_LIGHT_HEAD}.light_head_rcnn_resnet101": "LightHeadRCNNResNet101",
            f"{_LIGHT_HEAD}.train_chain": "LightHeadRCNNTrainChain",
        },
    ),
    Namespace(
        "renga.cv.experimental.links",
        names={
            f"{_FCIS}.fcis_resnet101": "FCISResNet101",
            f"{_FCIS}.train_chain": "FCISTrainChain",
            "renga_cv.links.model.pspnet.pspnet": _PSPNET,
        },
    ),
    Namespace(
        "renga.cv.experimental.links.model.fcis",
        names={
            f"{_FCIS}.fcis": "FCIS",
            f"{_FCIS}.fcis_resnet101": "FCISResNet101 FCISResNet101Head",
            f"{_FCIS}.mask_voting": "mask_voting",
            f"{_FCIS}.proposal_target_creator": "ProposalTargetCreator",
            f"{_FCIS}.train_chain": "FCISTrainChain",
            "renga_cv.links.model.resnet101_extractor": "ResNet101Extractor",
        },
    ),
    Namespace(
        "renga.cv.experimental.links.model.pspnet",
        names={
            "renga_cv.links.model.pspnet.convolution_crop": "convolution_crop",
            "renga_cv.links.model.pspnet.pspnet": f"PSPNet {_PSPNET}",
        },
    ),
]

_SEMANTIC = frozenset({"semantic_segmentation"})
_INSTANCES = frozenset({"instance_segmentation"})
_DETECTION = frozenset({"detection"})

MODELS = [
    *(
        Provider(
            name,
            f"renga_cv.links.model.image_segmenter:{name}",
            1,
            f"A class for each pixel: {summary}",
            capabilities=_SEMANTIC,
        )
        for name, summary in {
            "deeplab_v3_mobilenet_v2": "MobileNetV2, and the mean over the picture",
            "deeplab_v3plus_xception65": "Xception, and dilated filters with several rates",
            "pspnet_resnet50": "ResNet of 50 layers, and means over regions of several sizes",
            "pspnet_resnet101": "ResNet of 101 layers, and means over regions of several sizes",
            "segnet_basic": "an encoder and a decoder of four steps",
        }.items()
    ),
    Provider(
        "light_head_rcnn_resnet101",
        "renga_cv.links.model.two_stage_detector:light_head_rcnn_resnet101",
        1,
        "Boxes of objects: ResNet-101, proposed regions, and few channels for each",
        capabilities=_DETECTION,
    ),
    Provider(
        "fcis_resnet101",
        "renga_cv.links.model.two_stage_detector:fcis_resnet101",
        1,
        "Masks of objects: ResNet-101, proposed regions, and maps of inside and outside",
        capabilities=_INSTANCES,
    ),
]
