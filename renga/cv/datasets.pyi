# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.datasets.ade20k.ade20k_semantic_segmentation_dataset import ADE20KSemanticSegmentationDataset as ADE20KSemanticSegmentationDataset
from renga_cv.datasets.ade20k.ade20k_test_image_dataset import ADE20KTestImageDataset as ADE20KTestImageDataset
from renga_cv.datasets.ade20k.labels import ade20k_semantic_segmentation_label_colors as ade20k_semantic_segmentation_label_colors
from renga_cv.datasets.ade20k.labels import ade20k_semantic_segmentation_label_names as ade20k_semantic_segmentation_label_names
from renga_cv.datasets.camvid.camvid_dataset import CamVidDataset as CamVidDataset
from renga_cv.datasets.camvid.labels import camvid_ignore_label_color as camvid_ignore_label_color
from renga_cv.datasets.camvid.labels import camvid_label_colors as camvid_label_colors
from renga_cv.datasets.camvid.labels import camvid_label_names as camvid_label_names
from renga_cv.datasets.cityscapes.cityscapes_semantic_segmentation_dataset import CityscapesSemanticSegmentationDataset as CityscapesSemanticSegmentationDataset
from renga_cv.datasets.cityscapes.cityscapes_test_image_dataset import CityscapesTestImageDataset as CityscapesTestImageDataset
from renga_cv.datasets.cityscapes.labels import cityscapes_semantic_segmentation_label_colors as cityscapes_semantic_segmentation_label_colors
from renga_cv.datasets.cityscapes.labels import cityscapes_semantic_segmentation_label_names as cityscapes_semantic_segmentation_label_names
from renga_cv.datasets.coco.coco_bbox_dataset import COCOBboxDataset as COCOBboxDataset
from renga_cv.datasets.coco.coco_instance_segmentation_dataset import COCOInstanceSegmentationDataset as COCOInstanceSegmentationDataset
from renga_cv.datasets.coco.coco_semantic_segmentation_dataset import COCOSemanticSegmentationDataset as COCOSemanticSegmentationDataset
from renga_cv.datasets.coco.labels import coco_bbox_label_names as coco_bbox_label_names
from renga_cv.datasets.coco.labels import coco_instance_segmentation_label_names as coco_instance_segmentation_label_names
from renga_cv.datasets.coco.labels import coco_semantic_segmentation_label_colors as coco_semantic_segmentation_label_colors
from renga_cv.datasets.coco.labels import coco_semantic_segmentation_label_names as coco_semantic_segmentation_label_names
from renga_cv.datasets.cub.cub_keypoint_dataset import CUBKeypointDataset as CUBKeypointDataset
from renga_cv.datasets.cub.cub_label_dataset import CUBLabelDataset as CUBLabelDataset
from renga_cv.datasets.cub.labels import cub_label_names as cub_label_names
from renga_cv.datasets.digit_scenes.digit_scenes import DigitScenes as DigitScenes
from renga_cv.datasets.digit_scenes.digit_scenes import digit_label_names as digit_label_names
from renga_cv.datasets.digit_scenes.digit_scenes import get_digit_scenes as get_digit_scenes
from renga_cv.datasets.directory_parsing_label_dataset import DirectoryParsingLabelDataset as DirectoryParsingLabelDataset
from renga_cv.datasets.directory_parsing_label_dataset import directory_parsing_label_names as directory_parsing_label_names
from renga_cv.datasets.mixup_soft_label_dataset import MixUpSoftLabelDataset as MixUpSoftLabelDataset
from renga_cv.datasets.online_products.online_products_dataset import OnlineProductsDataset as OnlineProductsDataset
from renga_cv.datasets.online_products.online_products_dataset import online_products_super_label_names as online_products_super_label_names
from renga_cv.datasets.own_pictures.boxes_csv import get_boxes_csv as get_boxes_csv
from renga_cv.datasets.own_pictures.coco_json import get_coco_json as get_coco_json
from renga_cv.datasets.own_pictures.pictures_with_boxes import PicturesWithBoxes as PicturesWithBoxes
from renga_cv.datasets.sbd.labels import sbd_instance_segmentation_label_names as sbd_instance_segmentation_label_names
from renga_cv.datasets.sbd.sbd_instance_segmentation_dataset import SBDInstanceSegmentationDataset as SBDInstanceSegmentationDataset
from renga_cv.datasets.siamese_dataset import SiameseDataset as SiameseDataset
from renga_cv.datasets.voc.labels import voc_bbox_label_names as voc_bbox_label_names
from renga_cv.datasets.voc.labels import voc_instance_segmentation_label_names as voc_instance_segmentation_label_names
from renga_cv.datasets.voc.labels import voc_semantic_segmentation_ignore_label_color as voc_semantic_segmentation_ignore_label_color
from renga_cv.datasets.voc.labels import voc_semantic_segmentation_label_colors as voc_semantic_segmentation_label_colors
from renga_cv.datasets.voc.labels import voc_semantic_segmentation_label_names as voc_semantic_segmentation_label_names
from renga_cv.datasets.voc.voc_bbox_dataset import VOCBboxDataset as VOCBboxDataset
from renga_cv.datasets.voc.voc_instance_segmentation_dataset import VOCInstanceSegmentationDataset as VOCInstanceSegmentationDataset
from renga_cv.datasets.voc.voc_semantic_segmentation_dataset import VOCSemanticSegmentationDataset as VOCSemanticSegmentationDataset

__all__ = [
    "ADE20KSemanticSegmentationDataset",
    "ADE20KTestImageDataset",
    "COCOBboxDataset",
    "COCOInstanceSegmentationDataset",
    "COCOSemanticSegmentationDataset",
    "CUBKeypointDataset",
    "CUBLabelDataset",
    "CamVidDataset",
    "CityscapesSemanticSegmentationDataset",
    "CityscapesTestImageDataset",
    "DigitScenes",
    "DirectoryParsingLabelDataset",
    "MixUpSoftLabelDataset",
    "OnlineProductsDataset",
    "PicturesWithBoxes",
    "SBDInstanceSegmentationDataset",
    "SiameseDataset",
    "VOCBboxDataset",
    "VOCInstanceSegmentationDataset",
    "VOCSemanticSegmentationDataset",
    "ade20k_semantic_segmentation_label_colors",
    "ade20k_semantic_segmentation_label_names",
    "camvid_ignore_label_color",
    "camvid_label_colors",
    "camvid_label_names",
    "cityscapes_semantic_segmentation_label_colors",
    "cityscapes_semantic_segmentation_label_names",
    "coco_bbox_label_names",
    "coco_instance_segmentation_label_names",
    "coco_semantic_segmentation_label_colors",
    "coco_semantic_segmentation_label_names",
    "cub_label_names",
    "digit_label_names",
    "directory_parsing_label_names",
    "get_boxes_csv",
    "get_coco_json",
    "get_digit_scenes",
    "online_products_super_label_names",
    "sbd_instance_segmentation_label_names",
    "voc_bbox_label_names",
    "voc_instance_segmentation_label_names",
    "voc_semantic_segmentation_ignore_label_color",
    "voc_semantic_segmentation_label_colors",
    "voc_semantic_segmentation_label_names",
]
