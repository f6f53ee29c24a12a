"""Pictures with boxes, masks, points and classes drawn into them, by Matplotlib (extra ``plot``).

Each function draws into the axes it is given, and touches nothing else. Given none, it makes a figure by pyplot, to be
shown by ``matplotlib.pyplot.show()``.

- `vis_image`, `vis_bbox`, `vis_point`, `vis_instance_segmentation`, `vis_semantic_segmentation`.
- `colormap`: a colour for each class. `instances`: what drawings of boxes and of masks share.
"""
