"""Data sets."""

from renga_core.plugin import Namespace

__all__ = ["NAMESPACES"]

NAMESPACES = [
    Namespace(
        "renga.cv.datasets",
        names={
            "renga_cv.datasets.ade20k.ade20k_semantic_segmentation_dataset": "ADE20KSemanticSegmentationDataset",
            "renga_cv.datasets.ade20k.ade20k_test_image_dataset": "ADE20KTestImageDataset",
            "renga_cv.datasets.ade20k.labels": (
                "ade20k_semantic_segmentation_label_colors ade20k_semantic_segmentation_label_names"
            ),
            "renga_cv.datasets.camvid.camvid_dataset": "CamVidDataset",
            "renga_cv.datasets.camvid.labels": "camvid_ignore_label_color camvid_label_colors camvid_label_names",
            "renga_cv.datasets.cityscapes.cityscapes_semantic_segmentation_dataset": (
                "CityscapesSemanticSegmentationDataset"
            ),
            "renga_cv.datasets.cityscapes.cityscapes_test_image_dataset": "CityscapesTestImageDataset",
            "renga_cv.datasets.cityscapes.labels": (
                "cityscapes_semantic_segmentation_label_colors cityscapes_semantic_segmentation_label_names"
            ),
            "renga_cv.datasets.coco.coco_bbox_dataset": "COCOBboxDataset",
            "renga_cv.datasets.coco.coco_instance_segmentation_dataset": "COCOInstanceSegmentationDataset",
            "renga_cv.datasets.coco.coco_semantic_segmentation_dataset": "COCOSemanticSegmentationDataset",
            "renga_cv.datasets.coco.labels": (
                "coco_bbox_label_names coco_instance_segmentation_label_names coco_semantic_segmentation_label_colors "
                "coco_semantic_segmentation_label_names"
            ),
            "renga_cv.datasets.cub.cub_keypoint_dataset": "CUBKeypointDataset",
            "renga_cv.datasets.cub.cub_label_dataset": "CUBLabelDataset",
            "renga_cv.datasets.cub.labels": "cub_label_names",
            "renga_cv.datasets.directory_parsing_label_dataset": (
                "DirectoryParsingLabelDataset directory_parsing_label_names"
            ),
            "renga_cv.datasets.mixup_soft_label_dataset": "MixUpSoftLabelDataset",
            "renga_cv.datasets.online_products.online_products_dataset": (
                "OnlineProductsDataset online_products_super_label_names"
            ),
            "renga_cv.datasets.sbd.labels": "sbd_instance_segmentation_label_names",
            "renga_cv.datasets.sbd.sbd_instance_segmentation_dataset": "SBDInstanceSegmentationDataset",
            "renga_cv.datasets.siamese_dataset": "SiameseDataset",
            "renga_cv.datasets.voc.labels": (
                "voc_bbox_label_names voc_instance_segmentation_label_names "
                "voc_semantic_segmentation_ignore_label_color voc_semantic_segmentation_label_colors "
                "voc_semantic_segmentation_label_names"
            ),
            "renga_cv.datasets.voc.voc_bbox_dataset": "VOCBboxDataset",
            "renga_cv.datasets.voc.voc_instance_segmentation_dataset": "VOCInstanceSegmentationDataset",
            "renga_cv.datasets.voc.voc_semantic_segmentation_dataset": "VOCSemanticSegmentationDataset",
        },
    ),
    Namespace(
        "renga.cv.chainer_experimental.datasets.sliceable",
        names={
            "renga_cv.sliceable.concatenated_dataset": "ConcatenatedDataset",
            "renga_cv.sliceable.getter_dataset": "GetterDataset",
            "renga_cv.sliceable.sliceable_dataset": "SliceableDataset",
            "renga_cv.sliceable.transform_dataset": "TransformDataset",
            "renga_cv.sliceable.tuple_dataset": "TupleDataset",
        },
    ),
]
