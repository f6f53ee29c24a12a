"""Draw pictures with boxes, masks, points and classes, using Matplotlib (extra ``plot``).

Each function draws into the given axes, and changes nothing else. Without axes, it creates a pyplot figure; show it
with ``matplotlib.pyplot.show()``.

- `vis_image`, `vis_bbox`, `vis_point`, `vis_instance_segmentation`, `vis_semantic_segmentation`.
- `colormap`: a colour for each class. `instances`: shared code for boxes and masks.
"""
