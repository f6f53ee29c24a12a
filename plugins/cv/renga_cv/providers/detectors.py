"""Networks for object detection and for instance segmentation."""

from renga_core.plugin import Namespace, Provider

__all__ = ["MODELS", "NAMESPACES"]

_FASTER_RCNN = "renga_cv.links.model.faster_rcnn"
_SSD = "renga_cv.links.model.ssd"
_YOLO = "renga_cv.links.model.yolo"
_FPN = "renga_cv.links.model.fpn"
_FPN_DETECTORS = "FasterRCNNFPNResNet50 FasterRCNNFPNResNet101 MaskRCNNFPNResNet50 MaskRCNNFPNResNet101"

NAMESPACES: list[Namespace] = [
    Namespace(
        "renga.cv.links",
        names={
            f"{_FASTER_RCNN}.faster_rcnn_vgg": "FasterRCNNVGG16",
            f"{_FPN}.faster_rcnn_fpn_resnet": _FPN_DETECTORS,
            f"{_SSD}.ssd_vgg16": "SSD300 SSD512",
            f"{_YOLO}.yolo_v2": "YOLOv2",
            f"{_YOLO}.yolo_v3": "YOLOv3",
        },
    ),
    Namespace(
        "renga.cv.links.model.faster_rcnn",
        names={
            f"{_FASTER_RCNN}.anchor_target_creator": "AnchorTargetCreator",
            f"{_FASTER_RCNN}.anchors": "generate_anchor_base",
            f"{_FASTER_RCNN}.box_coding": "bbox2loc loc2bbox",
            f"{_FASTER_RCNN}.faster_rcnn": "FasterRCNN",
            f"{_FASTER_RCNN}.faster_rcnn_vgg": "FasterRCNNVGG16 VGG16RoIHead",
            f"{_FASTER_RCNN}.proposal_creator": "ProposalCreator",
            f"{_FASTER_RCNN}.proposal_target_creator": "ProposalTargetCreator",
            f"{_FASTER_RCNN}.region_proposal_network": "RegionProposalNetwork",
            f"{_FASTER_RCNN}.train_chain": "FasterRCNNTrainChain",
        },
    ),
    Namespace(
        "renga.cv.links.model.fpn",
        names={
            f"{_FPN}.bbox_head": "BboxHead",
            f"{_FPN}.bbox_head_loss": "bbox_head_loss_post bbox_head_loss_pre",
            f"{_FPN}.faster_rcnn": "FasterRCNN",
            f"{_FPN}.faster_rcnn_fpn_resnet": f"FasterRCNNFPNResNet {_FPN_DETECTORS}",
            f"{_FPN}.feature_pyramid": "FPN",
            f"{_FPN}.mask_head": "MaskHead",
            f"{_FPN}.mask_head_loss": "mask_head_loss_post mask_head_loss_pre",
            f"{_FPN}.masks": "mask_to_segm segm_to_mask",
            f"{_FPN}.rpn": "RPN",
            f"{_FPN}.rpn_loss": "rpn_loss",
        },
    ),
    Namespace(
        "renga.cv.links.model.fpn.misc",
        names={
            f"{_FASTER_RCNN}.scaling": "scale_img",
            f"{_FPN}.misc": "argsort choice exp_clip smooth_l1",
        },
    ),
    Namespace(
        "renga.cv.links.model.ssd",
        names={
            f"{_SSD}.gradient_scaling": "GradientScaling",
            f"{_SSD}.multibox": "Multibox",
            f"{_SSD}.multibox_coder": "MultiboxCoder",
            f"{_SSD}.multibox_loss": "multibox_loss",
            f"{_SSD}.normalize": "Normalize",
            f"{_SSD}.ssd": "SSD",
            f"{_SSD}.ssd_vgg16": "SSD300 SSD512 VGG16 VGG16Extractor300 VGG16Extractor512",
            f"{_SSD}.transforms": "random_crop_with_bbox_constraints random_distort resize_with_random_interpolation",
        },
    ),
    Namespace(
        "renga.cv.links.model.yolo",
        names={
            f"{_YOLO}.yolo_base": "YOLOBase",
            f"{_YOLO}.yolo_v2": "Darknet19Extractor YOLOv2 YOLOv2Base",
            f"{_YOLO}.yolo_v3": "Darknet53Extractor ResidualBlock YOLOv3",
        },
    ),
    Namespace("renga.cv.experimental.links", names={f"{_YOLO}.yolo_v2_tiny": "YOLOv2Tiny"}),
    Namespace("renga.cv.experimental.links.model.yolo", names={f"{_YOLO}.yolo_v2_tiny": "DarknetExtractor YOLOv2Tiny"}),
]

_DETECTION = frozenset({"detection"})
_INSTANCES = frozenset({"instance_segmentation"})

MODELS = [
    *[
        Provider(
            name,
            f"renga_cv.links.model.image_detector:{name}",
            1,
            f"Boxes of objects: {summary}",
            capabilities=_DETECTION,
        )
        for name, summary in {
            "ssd300": "VGG16 and maps of six sizes, pictures of 300 pixels",
            "ssd512": "VGG16 and maps of seven sizes, pictures of 512 pixels",
            "yolo_v2": "Darknet-19 in one pass",
            "yolo_v2_tiny": "eight convolutions in one pass",
            "yolo_v3": "Darknet-53 in one pass, at three sizes",
        }.items()
    ],
    *[
        Provider(name, f"renga_cv.links.model.two_stage_detector:{name}", 1, summary, capabilities=capabilities)
        for name, summary, capabilities in (
            ("faster_rcnn_vgg16", "Boxes of objects: VGG16, in regions that it proposes", _DETECTION),
            ("faster_rcnn_fpn_resnet50", "Boxes of objects: ResNet-50 and a pyramid of features", _DETECTION),
            ("faster_rcnn_fpn_resnet101", "Boxes of objects: ResNet-101 and a pyramid of features", _DETECTION),
            ("mask_rcnn_fpn_resnet50", "Masks of objects: ResNet-50 and a pyramid of features", _INSTANCES),
            ("mask_rcnn_fpn_resnet101", "Masks of objects: ResNet-101 and a pyramid of features", _INSTANCES),
        )
    ],
]
