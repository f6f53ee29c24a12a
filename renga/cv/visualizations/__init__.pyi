# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga.cv.visualizations import colormap as colormap
from renga_cv.visualizations.vis_bbox import vis_bbox as vis_bbox
from renga_cv.visualizations.vis_image import vis_image as vis_image
from renga_cv.visualizations.vis_instance_segmentation import vis_instance_segmentation as vis_instance_segmentation
from renga_cv.visualizations.vis_point import vis_point as vis_point
from renga_cv.visualizations.vis_semantic_segmentation import vis_semantic_segmentation as vis_semantic_segmentation

__all__ = [
    "colormap",
    "vis_bbox",
    "vis_image",
    "vis_instance_segmentation",
    "vis_point",
    "vis_semantic_segmentation",
]
