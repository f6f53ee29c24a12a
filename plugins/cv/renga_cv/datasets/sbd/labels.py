"""The classes of SBD, the same as PASCAL VOC's."""

from renga_cv.datasets.voc.labels import voc_bbox_label_names

__all__ = ["sbd_instance_segmentation_label_names"]

sbd_instance_segmentation_label_names = voc_bbox_label_names
"""The name of each class of objects."""
