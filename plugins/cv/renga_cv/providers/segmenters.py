"""Networks that give each pixel a class, and position-sensitive pooling."""

from renga_core.plugin import Namespace

__all__ = ["NAMESPACES"]

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
            "renga_cv.links.model.deeplab.deeplab_v3plus": "DeepLabV3plusXception65",
            "renga_cv.links.model.segnet.segnet_basic": "SegNetBasic",
        },
    ),
    Namespace("renga.cv.links.model.segnet", names={"renga_cv.links.model.segnet.segnet_basic": "SegNetBasic"}),
    Namespace(
        "renga.cv.links.model.deeplab",
        names={
            "renga_cv.links.model.deeplab.aspp": "SeparableASPP",
            "renga_cv.links.model.deeplab.decoder": "Decoder",
            "renga_cv.links.model.deeplab.deeplab_v3plus": "DeepLabV3plus DeepLabV3plusXception65",
            "renga_cv.links.model.deeplab.xception": "Xception65 XceptionBlock",
        },
    ),
    Namespace("renga.cv.experimental.links", names={"renga_cv.links.model.pspnet.pspnet": _PSPNET}),
    Namespace(
        "renga.cv.experimental.links.model.pspnet",
        names={
            "renga_cv.links.model.pspnet.convolution_crop": "convolution_crop",
            "renga_cv.links.model.pspnet.pspnet": f"PSPNet {_PSPNET}",
        },
    ),
]
